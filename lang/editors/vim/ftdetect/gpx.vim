autocmd BufNewFile,BufRead *.gpx setfiletype gpx
