package privacy

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"finishline/internal/render"
	"finishline/verify"
)

// planted are one of every kind of the base set, each with a part that must
// never be told.
func planted() map[detectorID][2]string {
	secret := "Zq7" + "xK2mWv9" + "TbR4nLs8"
	return map[detectorID][2]string{
		privateKey:        {"-----BEGIN EC PRIVATE " + "KEY-----", "EC PRIVATE"},
		awsAccessKey:      {"AK" + "IARSKWHO5P22JCJT1O", "RSKWHO5P22"},
		githubToken:       {hubToken, hubToken[4:24]},
		githubFineGrained: {"github" + "_pat_" + secret + secret, secret},
		providerKey:       {"sk" + "-" + secret + secret, secret},
		bearerToken:       {"Bearer " + secret + secret, secret},
		secretAssignment:  {"db_password: '9" + secret + "!'", secret},
		connection:        {"mysql://root:" + secret + "@db.internal/x", secret},
		windowsPath:       {`C:\Users\quillon\x`, "quillon"},
		unixPath:          {"/home/quillon/x", "quillon"},
		email:             {"quillon@harbor" + ".test", "quillon"},
		uuid:              {"9ce0cabc-2ea0-4d22-9afd-b8f34bd0b177", "9ce0cabc"},
		namedID:           {"session_id=quillon.77", "quillon.77"},
	}
}

// Nothing that was found is in any form of the result, wherever it was: in the
// content, in the name of a file or folder, or in that of a link or its target.
func TestNothingFoundIsEchoed(t *testing.T) {
	engine, err := Embedded()
	must(t, err)
	for d, p := range planted() {
		name := p[0]
		if strings.Contains(name, "/") { // no name of a file
			name = "plain"
		}
		dir := t.TempDir()
		write(t, filepath.Join(dir, "content.txt"), []byte("x\n"+p[0]+"\n"))
		write(t, filepath.Join(dir, "long.txt"), []byte(strings.Repeat("y ", 1<<15)+p[0]+"\n"))
		write(t, filepath.Join(dir, "binary.dat"), []byte("\x00"+p[0]))
		write(t, filepath.Join(dir, name), []byte("named\n"))
		write(t, filepath.Join(dir, "folder "+name, "a.txt"), []byte("below\n"))
		must(t, os.Symlink(p[0], filepath.Join(dir, "link")))
		must(t, os.Symlink("content.txt", filepath.Join(dir, "link "+name)))
		told := ""
		for _, level := range []verify.Level{verify.Base, verify.Strict} {
			for _, opt := range []Options{
				{}, {Mode: Include, Include: []string{"content.txt"}}, {Mode: Include, Include: []string{"missing " + name}}, {Mode: Include, Include: []string{p[0]}},
			} {
				opt.Level, opt.Extended, opt.Names, opt.Key = level, engine, engine, []byte("0123456789abcdef")
				r := scanDir(t, dir, opt)
				told += string(canonical(r))
				if r.Error != nil {
					told += fmt.Sprint(r.Error.Reason)
				}
				for _, format := range render.Formats() {
					var b strings.Builder
					must(t, format.Write(&b, r.Report(verify.Subject{Kind: "scan"}), render.Style{}))
					told += b.String()
				}
			}
		}
		if strings.Contains(told, p[1]) {
			at := strings.Index(told, p[1])
			t.Errorf("%s is told: …%s…", detectors[d].name, told[max(0, at-120):at+len(p[1])])
		}
	}
}
