package harness

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"finishline/verify"
)

// prompt is a journal of one run whose one attempt has that prompt and reply.
func promptJournal(prompt, sha, reply string) []byte {
	quoted := func(s string) string {
		b, _ := json.Marshal(s)
		return string(b)
	}
	return fmt.Appendf(nil, `{"kind":"run.open"}
{"kind":"attempt.prompt","attemptId":"a","task":"t","phase":"p","seat":"s","model":"m","wrapper":"w","timeoutSecs":1,"promptPath":%s,"promptSha":%q,"causalInput":"c"}
{"kind":"attempt.reply","attemptId":"a","valid":true,"replyPath":%s}
{"kind":"run.complete"}
`, quoted(prompt), sha, quoted(reply))
}

func TestFilesBesideTheJournal(t *testing.T) {
	outside := t.TempDir()
	dir := t.TempDir()
	write := func(dir, name string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte("do it\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(dir, "prompt.md")
	write(outside, "prompt.md")
	for link, target := range map[string]string{"in": "prompt.md", "out": filepath.Join(outside, "prompt.md"), "loop": "loop", "dangling": "nothing", "dir-out": outside,
		"dangling-out": filepath.Join(outside, "nothing"), "absolute": filepath.Join(dir, "prompt.md"), "absolute-dir": dir, "round": "../" + filepath.Base(dir) + "/prompt.md"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte("do it\n"))
	good := hex.EncodeToString(sum[:])
	const escape, gone, note, digest = "harness.files.path-escape", "harness.files.missing", "harness.files.path-outside", "harness.files.prompt-digest"
	for path, want := range map[string]string{
		"prompt.md": "", "./sub/../prompt.md": "", "in": "", filepath.Join(dir, "prompt.md"): "",
		"../" + filepath.Base(dir) + "/prompt.md": escape, "..": escape, "sub/../../x": escape,
		"absolute": "", "absolute-dir/prompt.md": "", "absolute-dir/in": "", "round": "", "absolute-dir/out": escape, "absolute-dir/sub": escape,
		"out": escape, "dir-out/prompt.md": escape, "fifo": escape, "sub": escape, ".": escape,
		"dangling": gone, "dangling-out": gone, "loop": gone, "absolute-dir/none": gone, "none": gone, "prompt.md/x": gone, "a\x00b": gone,
		filepath.Join(outside, "prompt.md"): note, "/etc/hostname": note,
	} {
		for _, n := range []name{nPromptPath, nReplyPath} {
			data := promptJournal(path, good, "prompt.md")
			if n == nReplyPath {
				data = promptJournal("prompt.md", good, path)
			}
			got := verifyBytes(t, data, Options{RunDir: dir}).Findings.List()
			var rules []string
			for _, f := range got {
				rules = append(rules, f.Rule)
			}
			if want == "" && len(rules) > 0 || want != "" && !slices.Equal(rules, []string{want}) {
				t.Errorf("%s %q: %+v, want %q", names[n], path, got, want)
			}
		}
	}
	r := verifyBytes(t, promptJournal("prompt.md", good[1:]+"0", "in"), Options{RunDir: dir})
	if got := verify.RuleIDs(r.Findings.List(), verify.Error); !slices.Equal(got, []string{digest}) {
		t.Errorf("%v", got)
	}
	late := append([]byte("{\"kind\":\"run.open\"}\n{\"kind\":\"run.complete\"}\n"), promptJournal("../x", good, "none")[len("{\"kind\":\"run.open\"}\n"):]...)
	if r := verifyBytes(t, late, Options{RunDir: dir}); hasRule(r, "harness.files.") {
		t.Errorf("after the end of the run: %+v", r.Findings.List())
	}
	if r := verifyBytes(t, promptJournal("../x", good, "/y"), Options{}); len(r.Findings.List()) > 0 {
		t.Errorf("without a run directory: %+v", r.Findings.List())
	}
}

// A prompt that cannot be read is no pass, and not taken for a bad one.
func TestUnreadablePrompt(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("nothing is unreadable to root")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "p"), []byte("x"), 0o000); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte("x"))
	r := verifyBytes(t, promptJournal("p", hex.EncodeToString(sum[:]), "p"), Options{RunDir: dir})
	if v := r.Findings.Verdict(); v != verify.Incomplete || r.Valid() {
		t.Errorf("%v: %+v", v, r.Findings.List())
	}
}

// A file that many records name, also by other names, is read once, and reading
// ends when it is interrupted.
func TestFilesAreReadOnce(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "p"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(filepath.Join(dir, "p"), filepath.Join(dir, "q")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("p", filepath.Join(dir, "r")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	d, err := openRunDir(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.close()
	sums := map[string]bool{}
	for _, name := range []string{"p", "q", "r", "p"} {
		rel, info, err := d.find(name)
		if err != nil {
			t.Fatal(err)
		}
		sum, err := d.sum(rel, info)
		if err != nil {
			t.Fatal(err)
		}
		sums[sum] = true
		cancel() // of one that was read nothing is read again
	}
	if len(sums) != 1 {
		t.Errorf("%v", sums)
	}
	clear(d.sums)
	if rel, info, err := d.find("p"); err != nil {
		t.Error(err)
	} else if _, err := d.sum(rel, info); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
