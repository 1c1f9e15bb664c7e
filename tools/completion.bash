# Completion of options and file names for the lossgrad programs, from what their
# --help says. Use it with `source tools/completion.bash` in a shell or ~/.bashrc.
_lossgrad_complete() {
  local word=${COMP_WORDS[COMP_CWORD]}
  case $word in
  -*)
    # shellcheck disable=SC2207
    COMPREPLY=($(compgen -W "$("$1" --help 2>/dev/null | grep -oE '^ +--?[a-zA-Z][a-zA-Z0-9-]*' | sort -u)" -- "$word"))
    ;;
  *) COMPREPLY=() ;; # -o default: files
  esac
}
complete -o default -F _lossgrad_complete lossgrad-opt lossgrad-tblgen lossgrad-translate lossgrad-interpret lossgrad-contract \
  lossgrad-project lossgrad-run lossgrad-lsp-server lossgrad-reduce lossgrad-compare \
  lossgrad-target-tblgen
