package main

import (
	"slices"
	"testing"

	"github.com/alecthomas/kong"
)

// A grammar of one command knows exactly what the whole grammar knows of it.
func TestGrammarOfOneCommand(t *testing.T) {
	vars := kong.Vars{"formats": formatNames(), "env_pin": envPin, "env_key": envIntegrityKey, "storeHelp": storeArgHelp}
	whole := kong.Must(&grammar{}, vars)
	for _, command := range whole.Model.Children {
		one := kong.Must(grammarFor([]string{command.Name, "whatever"}), vars)
		if len(one.Model.Children) != 1 {
			t.Errorf("%s: %d commands", command.Name, len(one.Model.Children))
			continue
		}
		if got, want := told(one.Model.Children[0]), told(command); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", command.Name, got, want)
		}
	}
	for _, args := range [][]string{nil, {"--help"}, {"nonsense"}, {"-q", "verify"}} {
		if model := kong.Must(grammarFor(args), vars).Model; len(model.Children) != len(whole.Model.Children) {
			t.Errorf("%q: %d commands", args, len(model.Children))
		}
	}
}

// told is what a command and those below it say of themselves.
func told(n *kong.Node) (list []string) {
	list = append(list, n.FullPath(), n.Help, n.Detail)
	for _, f := range n.Flags {
		list = append(list, f.Name, f.Help, f.Default)
	}
	for _, p := range n.Positional {
		list = append(list, p.Name, p.Help)
	}
	for _, c := range n.Children {
		list = append(list, told(c)...)
	}
	return list
}
