package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"finishline/canon"
	"finishline/privacy"
	"finishline/privacy/rules"
	"finishline/verify"
)

type privacyCmds struct {
	Scan    privacyScanCmd    `cmd:"" help:"Say whether files may be published."`
	Closure privacyClosureCmd `cmd:"" help:"Show which files the scan of a completed run must cover, and why."`
	Redact  privacyRedactCmd  `cmd:"" help:"Write a redacted copy of a log or JSON document."`
	Accept  privacyAcceptCmd  `cmd:"" help:"Let one finding of the extended rules pass for a time."`
	Rules   privacyRulesCmd   `cmd:"" help:"List what is looked for."`
}

// searchFlags are the flags of every command that can look for more than the
// base set.
type searchFlags struct {
	Extended bool   `help:"Look for the 119 kinds of the extended rules too; their findings have a section of their own."`
	Rules    string `help:"Look for the kinds of this file too: finishline's own form or a gitleaks configuration. With --extended, its rules replace embedded ones of the same kind." type:"path" placeholder:"FILE"`
}

// engine is what the flags ask for, nil for the base set alone, and what the
// rule file says that has no effect here.
func (f searchFlags) engine() (*privacy.Engine, []string, error) {
	set, notes, err := f.set()
	if err != nil || set == nil {
		return nil, nil, err
	}
	engine, err := privacy.NewEngine(set)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", f.Rules, err)
	}
	return engine, notes, nil
}

// set is the rule set of the flags, nil for none.
func (f searchFlags) set() (*rules.Set, []string, error) {
	var set *rules.Set
	if f.Extended {
		set = rules.Extended()
	}
	if f.Rules == "" {
		return set, nil, nil
	}
	file, err := os.Open(f.Rules)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	given, unsupported, err := rules.Loader{Open: beside(f.Rules)}.Load(file)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", f.Rules, err)
	}
	var notes []string
	for _, u := range unsupported {
		notes = append(notes, fmt.Sprintf("in the rule file %s has no effect, or another: %s", u.Key, u.Effect))
	}
	if set != nil {
		set.Rules = slices.DeleteFunc(set.Rules, func(r *rules.Rule) bool { return given.Rule(r.Kind) != nil })
		set.Rules, set.Allow = append(set.Rules, given.Rules...), append(set.Allow, given.Allow...)
		return set, notes, nil
	}
	return given, notes, nil
}

// beside opens the files that a rule file extends, relative to where it is.
func beside(rulesFile string) func(path string) (io.ReadCloser, error) {
	return func(path string) (io.ReadCloser, error) {
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(rulesFile), path)
		}
		return os.Open(path)
	}
}

// fingerprintFlags are the flags of every command that makes fingerprints.
type fingerprintFlags struct {
	FingerprintKey string `name:"fingerprint-key" help:"The key of fingerprints, at least 16 bytes in a file, so that they stay the same from one report to the next. Without it each report has its own." type:"path" placeholder:"FILE"`
}

const maxFingerprintKey = 4096

// key reads the key, or makes one that is forgotten afterwards.
func (f fingerprintFlags) key() (key []byte, kept bool, err error) {
	if f.FingerprintKey == "" {
		key = make([]byte, 32)
		_, err = rand.Read(key)
		return key, false, err
	}
	file, err := os.Open(f.FingerprintKey)
	if err != nil {
		return nil, false, err
	}
	defer file.Close()
	key, err = io.ReadAll(io.LimitReader(file, maxFingerprintKey+1))
	if err != nil {
		return nil, false, err
	}
	key = []byte(strings.TrimRight(string(key), "\r\n"))
	if len(key) < privacy.MinKey || len(key) > maxFingerprintKey {
		return nil, false, &advisedError{fmt.Sprintf("%s: a fingerprint key has %d to %d bytes", f.FingerprintKey, privacy.MinKey, maxFingerprintKey),
			"make one with: openssl rand -hex 32"}
	}
	return key, true, nil
}

// acceptanceFlags say where acceptances are.
type acceptanceFlags struct {
	Acceptances string `help:"The file of acceptances. Unless given, .finishline/privacy-acceptances.json below the directory, if it exists." type:"path" placeholder:"FILE"`
}

func (f acceptanceFlags) path(dir string) string {
	if f.Acceptances != "" {
		return f.Acceptances
	}
	return filepath.Join(dir, filepath.FromSlash(privacy.AcceptancePath))
}

// acceptances reads the file. Only the default one may be missing.
func (s *session) acceptances(f acceptanceFlags, dir string) (privacy.Acceptances, error) {
	path := f.path(dir)
	data, err := s.readInput(path)
	if f.Acceptances == "" && errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	list, err := privacy.ReadAcceptances(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return list, nil
}

type privacyScanCmd struct {
	Dir      string   `arg:"" optional:"" default:"." help:"The directory to scan." type:"path"`
	Include  []string `help:"Scan this file or folder alone, relative to the directory. May be repeated." sep:"none" placeholder:"PATH"`
	Release  []string `help:"Scan this folder of build products, relative to the directory, with the rules for bundles." sep:"none" placeholder:"FOLDER"`
	Staged   bool     `help:"Scan what the next commit would add, as it is in the index."`
	Approve  []string `name:"approve-binary" help:"Let this binary file pass: its exact path and the SHA-256 of its bytes. The report repeats it. May be repeated." sep:"none" placeholder:"PATH=SHA256"`
	Personal bool     `name:"report-personal-data" help:"Tell findings of the extended rules about personal data without failing for them."`
	searchFlags
	fingerprintFlags
	acceptanceFlags
	clockFlags
	gitFlags
	outputFlags
	levelFlags
}

func (privacyScanCmd) Help() string {
	return `Looks for private keys, tokens, passwords, local paths, e-mail addresses and identifiers in every text below a directory, those that Git tracks in folders that are otherwise passed over included. Nothing that is found is ever printed. Links and binary files are findings: what they hold cannot be vouched for. What cannot be read ends the scan.

The findings of the extended rules stand beside those of the format, with a verdict of their own; both must pass. Findings of the format cannot be accepted, those of the extended rules can (finishline privacy accept).

Examples:
  finishline privacy scan
  finishline privacy scan --staged --extended
  finishline privacy scan --include docs --include README.md
  finishline privacy scan --release .next
  finishline privacy scan --rules .gitleaks.toml --format json`
}

func (c privacyScanCmd) Run(s *session) error {
	if err := directory(c.Dir, "name the directory that it is in, and the file with --include"); err != nil {
		return err
	}
	opt, notes, err := c.options(s)
	if err != nil {
		return err
	}
	accepted, err := s.acceptances(c.acceptanceFlags, c.Dir)
	if err != nil {
		return err
	}
	now, err := s.clock(c.clockFlags)
	if err != nil {
		return err
	}
	result, err := privacy.Scan(s.ctx, c.Dir, opt)
	if err != nil {
		return err
	}
	result.Notes = append(result.Notes, notes...)
	if result.Extended != nil {
		result.Extended.PersonalReported = c.Personal
		accepted.Apply(result, now)
	}
	return s.report(c.outputFlags, result.Report(verify.Subject{Kind: "privacy scan", Path: opt.Mode.String()}))
}

// options turns the flags into those of a scan.
func (c privacyScanCmd) options(s *session) (opt privacy.Options, notes []string, err error) {
	opt = privacy.Options{Include: c.Include, Release: c.Release, Level: c.level()}
	switch {
	case c.Staged && len(c.Include)+len(c.Release) > 0:
		return opt, nil, usagef("--staged scans the index of the whole directory; it takes no --include and no --release")
	case c.Staged:
		opt.Mode = privacy.Staged
	case len(c.Release) > 0:
		opt.Mode = privacy.Release
	case len(c.Include) > 0:
		opt.Mode = privacy.Include
	}
	for _, pair := range c.Approve {
		path, sum, ok := cutLast(pair, "=")
		if !ok || len(sum) != 64 || !canon.IsHex64(sum) || sum != strings.ToLower(sum) {
			return opt, nil, usagef("--approve-binary: %q is no path, =, and 64 lower-case hexadecimal digits", pair)
		}
		opt.Approved = append(opt.Approved, privacy.Approval{Path: path, SHA256: sum})
	}
	if opt.Extended, notes, err = c.engine(); err != nil {
		return opt, nil, err
	}
	if opt.Level == verify.Strict {
		if opt.Names, err = privacy.Embedded(); err != nil {
			return opt, nil, err
		}
	}
	opt.Git, opt.GitErr = s.findGit(c.gitFlags)
	opt.Key, _, err = c.key()
	return opt, notes, err
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// scanOne scans one file, for what a command needs to know of it.
func scanOne(ctx context.Context, dir, path string, opt privacy.Options) (*privacy.Result, error) {
	opt.Mode, opt.Include = privacy.Include, []string{path}
	result, err := privacy.Scan(ctx, dir, opt)
	if err != nil {
		return nil, err
	}
	if result.Error != nil {
		return nil, result.Error
	}
	return result, nil
}
