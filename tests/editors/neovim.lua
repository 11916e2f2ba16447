-- What Neovim is asked, one thing after the other; said.json has what it answered.
local said = {}
local function wait(what) assert(vim.wait(300000, what, 20), "nothing came") end
local function shown()
  return vim.tbl_map(function(each) return { each.lnum, each.col, each.end_col, each.message } end, vim.diagnostic.get(0))
end

local ok, err = pcall(function()
  wait(function() return #vim.diagnostic.get(0) > 0 end)
  said.mistakes = shown()
  vim.api.nvim_buf_set_text(0, 5, 4, 5, 6, { "NP" })
  wait(function() return #vim.diagnostic.get(0) == 0 end)
  vim.api.nvim_win_set_cursor(0, { 6, 7 })
  wait(function() -- the grammar has to be checked first
    local params = vim.lsp.util.make_position_params(0, "utf-16")
    for _, answer in pairs(vim.lsp.buf_request_sync(0, "textDocument/hover", params, 300000) or {}) do
      if answer.result then said.hover = answer.result.contents.value end
    end
    return said.hover ~= nil
  end)
  vim.api.nvim_buf_set_lines(0, 8, 9, false, { "  Det<N" })
  vim.lsp.buf.format({ timeout_ms = 300000 })
  said.formatted = vim.api.nvim_buf_get_lines(0, 0, -1, false)
  vim.api.nvim_win_set_cursor(0, { 6, 5 })
  vim.lsp.buf.rename("Nominal")
  wait(function() return vim.fn.search("Nominal", "n") > 0 end)
  said.renamed = vim.api.nvim_buf_get_lines(0, 0, -1, false)
  said.comment = vim.bo.commentstring
end)
said.error = not ok and tostring(err) or nil
vim.fn.writefile({ vim.json.encode(said) }, "said.json")
vim.cmd("qall!")
