-- Neovim's language client for gpx lsp. Works from Neovim 0.7 on.
local M = {}

local clients = {}   -- by folder: one server for all files of it

-- The keys that Neovim 0.10 and later set by themselves.
local function set_keys(buffer)
  local options = { buffer = buffer }
  vim.keymap.set("n", "K", vim.lsp.buf.hover, options)
  vim.keymap.set("n", "gd", vim.lsp.buf.definition, options)
  vim.api.nvim_buf_set_option(buffer, "omnifunc", "v:lua.vim.lsp.omnifunc")
end

function M.start()
  local buffer = vim.api.nvim_get_current_buf()
  local folder = vim.fn.expand("%:p:h")
  if not clients[folder] then
    clients[folder] = vim.lsp.start_client {
      name = "gpx",
      cmd = { "gpx", "lsp" },
      root_dir = folder,
      on_exit = function() clients[folder] = nil end,
    }
  end
  if not clients[folder] then return end
  vim.lsp.buf_attach_client(buffer, clients[folder])
  set_keys(buffer)
end

return M
