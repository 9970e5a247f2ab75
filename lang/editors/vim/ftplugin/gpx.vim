" What every file of gpx wants; and `gpx lsp` where Neovim has a language client.
if exists("b:did_ftplugin")
  finish
endif
let b:did_ftplugin = 1
setlocal commentstring=#\ %s comments=:# expandtab shiftwidth=2 textwidth=100
let b:undo_ftplugin = "setlocal commentstring< comments< expandtab< shiftwidth< textwidth<"

if has("nvim") && executable("gpx")
  lua require("gpx").start()
endif
