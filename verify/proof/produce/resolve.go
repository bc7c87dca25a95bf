package produce

import "strings"

// windows is Host.Platform of the one platform where commands are resolved.
const windows = "win32"

// resolutionDirect says that the argv was run as it was asked for (03 B.1).
const resolutionDirect = "direct"

// managerScripts are where a package manager's program lies below the directory
// of its batch file, the first that exists.
var managerScripts = map[string][]string{
	"npm":  {`node_modules\npm\bin\npm-cli.js`},
	"pnpm": {`node_modules\pnpm\bin\pnpm.cjs`, `node_modules\corepack\dist\pnpm.js`},
	"yarn": {`node_modules\yarn\bin\yarn.js`, `node_modules\corepack\dist\yarn.js`},
}

// resolve turns a command into what is run (03 D.2). On Windows the package
// managers are batch files, which only a shell can run, so their program is
// given to the JavaScript runtime instead; isFile tells what exists. Everything
// else is run as it is.
func resolve(argv []string, platform, path string, isFile func(string) bool) (resolved []string, resolution string, err error) {
	manager := strings.TrimSuffix(strings.ToLower(argv[0]), ".cmd")
	scripts, known := managerScripts[manager]
	if platform != windows || !known {
		return argv, resolutionDirect, nil
	}
	runtime, script := "", ""
	for _, dir := range strings.Split(path, ";") {
		dir = strings.TrimSuffix(strings.Trim(dir, `"`), `\`)
		if dir == "" {
			continue
		}
		if runtime == "" && isFile(dir+`\node.exe`) {
			runtime = dir + `\node.exe`
		}
		if script == "" && isFile(dir+`\`+manager+".cmd") {
			for _, s := range scripts {
				if script == "" && isFile(dir+`\`+s) {
					script = dir + `\` + s
				}
			}
		}
	}
	if runtime == "" || script == "" {
		return nil, "", &Refusal{
			Reason: manager + " cannot be run without a shell: node.exe or the program of " + manager + " is not where the PATH leads",
			Advice: "write the command as node.exe with the manager's script",
		}
	}
	return append([]string{runtime, script}, argv[1:]...), "windows-" + manager + "-cli", nil
}
