set encoding utf8
set terminal svg size 900,560 dynamic noenhanced font 'Helvetica,14' background '#ffffff'
$curve0 << EOD
32 406
64 412
96 418
EOD
$curve1 << EOD

64 36
96 36
EOD
set multiplot
set grid linetype 1 linecolor '#d0d7de' linewidth 1
set autoscale xfix
set style textbox opaque noborder margins 0.3,0.3
set lmargin at screen 0.1
set rmargin at screen 0.97
set border linecolor '#50545c'
set tmargin at screen 0.9300
set bmargin at screen 0.4067
set title 'kepler_prt: k20 (virtual): a model, not a measurement' font ',13'
unset logscale x
set format x ''
unset xlabel
unset logscale y
set format y '%g'
set ylabel 'latency (clocks)'
unset arrow
unset object
unset label
set key at screen 0.975, screen 0.9300 left top reverse Left samplen 2 font ',11'
plot $curve0 using 1:2 with linespoints pointtype 7 pointsize 0.4 linecolor '#0868ac' linewidth 2 dashtype solid notitle
set tmargin at screen 0.3717
set bmargin at screen 0.1100
unset title
unset logscale x
set format x '%g'
set xlabel 'threads'
unset logscale y
set format y '%g'
set ylabel 'variance'
unset arrow
unset object
unset label
unset key
plot $curve1 using 1:2 with linespoints pointtype 7 pointsize 0.4 linecolor '#0868ac' linewidth 2 dashtype solid notitle
unset multiplot
