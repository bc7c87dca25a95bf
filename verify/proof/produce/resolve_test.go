package produce

import (
	"slices"
	"strings"
	"testing"
)

func TestPackageManagersOnWindows(t *testing.T) {
	files := map[string]bool{
		`C:\node\node.exe`: true, `C:\node\npm.cmd`: true, `C:\node\node_modules\npm\bin\npm-cli.js`: true,
		`C:\tools\yarn.cmd`: true, `C:\tools\node_modules\corepack\dist\yarn.js`: true, `C:\tools\pnpm.cmd`: true,
	}
	isFile := func(path string) bool { return files[path] }
	const path = `C:\empty;"C:\node\";;C:\tools`
	for _, c := range []struct {
		argv       []string
		platform   string
		want       string
		resolution string
	}{
		{[]string{"npm", "test"}, windows, `C:\node\node.exe|C:\node\node_modules\npm\bin\npm-cli.js|test`, "windows-npm-cli"},
		{[]string{"NPM.CMD", "run", "a b"}, windows, `C:\node\node.exe|C:\node\node_modules\npm\bin\npm-cli.js|run|a b`, "windows-npm-cli"},
		{[]string{"yarn"}, windows, `C:\node\node.exe|C:\tools\node_modules\corepack\dist\yarn.js`, "windows-yarn-cli"},
		{[]string{"node", "x.js"}, windows, "node|x.js", "direct"},
		{[]string{`C:\own\npm`, "test"}, windows, `C:\own\npm|test`, "direct"},
		{[]string{"npm", "test"}, "linux", "npm|test", "direct"},
	} {
		got, resolution, err := resolve(c.argv, c.platform, path, isFile)
		if err != nil || strings.Join(got, "|") != c.want || resolution != c.resolution {
			t.Errorf("%q: %q %s %v", c.argv, got, resolution, err)
		}
	}
	if _, _, err := resolve([]string{"pnpm", "test"}, windows, path, isFile); err == nil {
		t.Error("pnpm has no program and was resolved")
	}
	argv := []string{"npm", "test"}
	if _, _, err := resolve(argv, windows, path, isFile); err != nil || !slices.Equal(argv, []string{"npm", "test"}) {
		t.Errorf("the argv that was asked for became %q, %v", argv, err)
	}
}
