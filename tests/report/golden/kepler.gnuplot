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
set style textbox opaque noborder margins 0.3,0.3
set lmargin at screen 0.1
set rmargin at screen 0.97
set border linecolor '#50545c'
set tmargin at screen 0.8940
set bmargin at screen 0.3947
set title 'Outstanding memory requests of a Kepler SM: MSHR or PRT?'."\n".'k20 (virtual): a model, not a measurement' font ',13'
unset logscale x
set xrange [32:96]
set xtics ('' 32, '' 64, '' 96)
unset xlabel
unset logscale y
set yrange [406:418]
set ytics ('406' 406, '408' 408, '410' 410, '412' 412, '414' 414, '416' 416, '418' 418)
set ylabel 'latency (clocks)'
unset arrow
unset object
unset label
set key at screen 0.975, screen 0.8940 left top reverse Left samplen 2 font ',11'
plot $curve0 using 1:2 with linespoints pointtype 7 pointsize 0.4 linecolor '#0868ac' linewidth 2 dashtype solid notitle
set tmargin at screen 0.3597
set bmargin at screen 0.1100
unset title
unset logscale x
set xrange [32:96]
set xtics ('32' 32, '64' 64, '96' 96)
set xlabel 'threads'
unset logscale y
set yrange [34:38]
set ytics ('34' 34, '35' 35, '36' 36, '37' 37, '38' 38)
set ylabel 'neighbour_variance'
unset arrow
unset object
unset label
unset key
plot $curve1 using 1:2 with linespoints pointtype 7 pointsize 0.4 linecolor '#0868ac' linewidth 2 dashtype solid notitle
unset multiplot
