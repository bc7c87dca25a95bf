package rules

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// Bounds of a configuration.
const (
	MaxFile       = 4 << 20  // bytes of one file
	MaxRules      = 5000     // rules of a set
	MaxExpression = 64 << 10 // bytes of one expression
	MaxExtends    = 2        // files that extend one another, as gitleaks has it
)

// An Unsupported is a key of a configuration that has no effect here, or not
// the effect it has in gitleaks. A caller must show them: a configuration that
// is only half understood must not look as if it were understood.
type Unsupported struct {
	Key    string // such as `rules["my-rule"].skipReport`
	Effect string // what happens instead
}

// A FileError is what is wrong with a configuration.
type FileError struct {
	Rule   string // the rule's id; empty for the file
	Reason string
	Err    error
}

func (e *FileError) Error() string {
	text := e.Reason
	if e.Rule != "" {
		text = fmt.Sprintf("rule %q: %s", e.Rule, text)
	}
	if e.Err != nil {
		text = fmt.Sprintf("%s: %v", text, e.Err)
	}
	return text
}

func (e *FileError) Unwrap() error { return e.Err }

// A Loader reads configurations.
type Loader struct {
	// Open opens the file that [extend] path names. Without it such a
	// configuration is refused, because half of its rules would be missing.
	Open func(path string) (io.ReadCloser, error)
}

// Load reads a configuration in the dialect of gitleaks: rules, keywords,
// entropy, secret groups, paths and allowlists are honoured, and so are the
// members of a rule's finishline table (see the package comment). Whatever
// else is written in it is returned by name. The error, if any, is a
// *FileError.
func Load(r io.Reader) (*Set, []Unsupported, error) { return Loader{}.Load(r) }

// Load is the function of this name, with files that extend one another.
func (l Loader) Load(r io.Reader) (*Set, []Unsupported, error) { return l.load(r, 0) }

func (l Loader) load(r io.Reader, depth int) (*Set, []Unsupported, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxFile+1))
	if err != nil {
		return nil, nil, &FileError{Reason: "the file cannot be read", Err: err}
	}
	if len(data) > MaxFile {
		return nil, nil, &FileError{Reason: fmt.Sprintf("the file is larger than %d bytes", MaxFile)}
	}
	f, err := decode(data)
	if err != nil {
		return nil, nil, &FileError{Reason: "the file is no TOML of this shape", Err: err}
	}
	told := f.unsupported
	set, more, err := l.base(f, depth)
	told = append(told, more...)
	if err != nil {
		return nil, told, err
	}
	more, err = f.addTo(set)
	told = append(told, more...)
	if err != nil {
		return nil, told, err
	}
	if len(set.Rules) == 0 {
		return nil, told, &FileError{Reason: "the file gives no rule, so that a scan would look for nothing"}
	}
	if len(set.Rules) > MaxRules {
		return nil, told, &FileError{Reason: fmt.Sprintf("there are %d rules, more than %d", len(set.Rules), MaxRules)}
	}
	return set, told, nil
}

// base gives the set that the configuration extends.
func (l Loader) base(f *file, depth int) (*Set, []Unsupported, error) {
	set := &Set{}
	var told []Unsupported
	extend := f.Extend
	if extend.URL != "" {
		told = append(told, Unsupported{"extend.url", "nothing is fetched; the rules there are not tried"})
	}
	switch {
	case extend.UseDefault && extend.Path != "":
		return nil, told, &FileError{Reason: "[extend] has both path and useDefault"}
	case extend.UseDefault:
		set = Extended()
		told = append(told, Unsupported{"extend.useDefault", "extends the extended set of finishline, not the default rules of gitleaks"})
	case extend.Path != "":
		if l.Open == nil {
			return nil, told, &FileError{Reason: fmt.Sprintf("[extend] path %q: other files are not read here", extend.Path)}
		}
		if depth >= MaxExtends {
			return nil, told, &FileError{Reason: fmt.Sprintf("more than %d files extend one another", MaxExtends)}
		}
		r, err := l.Open(extend.Path)
		if err != nil {
			return nil, told, &FileError{Reason: fmt.Sprintf("[extend] path %q", extend.Path), Err: err}
		}
		defer r.Close()
		base, more, err := l.load(r, depth+1)
		told = append(told, more...)
		if err != nil {
			return nil, told, fmt.Errorf("[extend] path %q: %w", extend.Path, err)
		}
		set = base
	}
	for _, id := range extend.DisabledRules {
		if set.Rule(id) == nil {
			told = append(told, Unsupported{fmt.Sprintf("extend.disabledRules %q", id), "no rule of the extended set has this name; nothing is disabled"})
			continue
		}
		set.Rules = slices.DeleteFunc(set.Rules, func(r *Rule) bool { return r.Kind == id })
	}
	return set, told, nil
}

// addTo adds the file's own rules and allowlists to the set it extends. A rule
// whose id is there already changes it, as in gitleaks.
func (f *file) addTo(set *Set) ([]Unsupported, error) {
	var told []Unsupported
	if f.Title != "" {
		set.Title = f.Title
	}
	own := map[string]bool{}
	for i := range f.Rules {
		raw := &f.Rules[i]
		if raw.ID == "" {
			return told, &FileError{Reason: fmt.Sprintf("rule %d has no id", i+1)}
		}
		if own[raw.ID] {
			return told, &FileError{Rule: raw.ID, Reason: "another rule of the file has the same id"}
		}
		own[raw.ID] = true
		told = append(told, raw.unsupported()...)
		if old := set.Rule(raw.ID); old != nil {
			if err := raw.change(old); err != nil {
				return told, err
			}
			continue
		}
		r, err := raw.rule()
		if err != nil {
			return told, err
		}
		set.Rules = append(set.Rules, r)
	}
	lists := f.Allowlists
	if f.Allowlist != nil {
		lists = append(lists, *f.Allowlist)
	}
	for i := range lists {
		a, err := lists[i].allowlist()
		if err != nil {
			return told, &FileError{Reason: "global allowlist", Err: err}
		}
		a.Rules = lists[i].TargetRules
		for _, id := range a.Rules {
			if set.Rule(id) == nil {
				return told, &FileError{Rule: id, Reason: "an allowlist is for this rule, but there is none of that name"}
			}
		}
		set.Allow = append(set.Allow, a)
	}
	return told, nil
}

// The file as it is written.
type file struct {
	Title      string
	Extend     fileExtend
	Rules      []fileRule
	Allowlist  *fileAllow
	Allowlists []fileAllow
	Finishline fileOwn

	unsupported []Unsupported
}

type fileExtend struct {
	Path          string
	URL           string
	UseDefault    bool
	DisabledRules []string
}

type fileRule struct {
	ID          string
	Description string
	Regex       string
	Path        string
	SecretGroup int
	Entropy     float64
	Keywords    []string
	Tags        []string
	SkipReport  bool
	Required    []map[string]any
	Allowlist   *fileAllow
	Allowlists  []fileAllow
	Finishline  *fileRuleOwn
}

type fileAllow struct {
	Description string
	Condition   string
	Commits     []string
	Paths       []string
	Regexes     []string
	RegexTarget string
	StopWords   []string
	TargetRules []string
}

// The members of a rule's finishline table.
type fileRuleOwn struct {
	Group  string
	Tier   string
	Left   string
	Right  string
	Checks []string
	Base64 bool
}

// What the embedded file has for the checks.
type fileOwn struct {
	Boundaries  map[string]string
	Lists       map[string][]string
	IBANLengths map[string]int
}

func decode(data []byte) (*file, error) {
	if err := checkNesting(data); err != nil {
		return nil, err
	}
	f := &file{}
	meta, err := toml.Decode(string(data), f)
	if err != nil {
		var parse toml.ParseError
		if errors.As(err, &parse) {
			return nil, fmt.Errorf("line %d: %s", parse.Position.Line, parse.Message)
		}
		return nil, err
	}
	seen := map[string]bool{}
	for _, key := range meta.Undecoded() {
		if name := key.String(); !seen[name] && name != "description" && name != "minVersion" {
			seen[name] = true
			f.unsupported = append(f.unsupported, Unsupported{name, "unknown; it has no effect"})
		}
	}
	return f, nil
}

func (r *fileRule) unsupported() []Unsupported {
	var told []Unsupported
	key := func(name string) string { return fmt.Sprintf("rules[%q].%s", r.ID, name) }
	if r.SkipReport {
		told = append(told, Unsupported{key("skipReport"), "the rule's findings are reported"})
	}
	if len(r.Required) > 0 {
		told = append(told, Unsupported{key("required"), "the rule is tried by itself, whatever else is near"})
	}
	return told
}

func (r *fileRule) rule() (*Rule, error) {
	made := &Rule{
		Kind: r.ID, Description: r.Description, Expression: r.Regex, Path: r.Path,
		SecretGroup: r.SecretGroup, Entropy: r.Entropy,
	}
	for _, k := range r.Keywords {
		made.Keywords = append(made.Keywords, strings.ToLower(k))
	}
	if len(r.Tags) > 0 {
		made.Group = r.Tags[0]
	}
	if err := r.own(made); err != nil {
		return nil, err
	}
	if made.Expression == "" && made.Path == "" {
		return nil, &FileError{Rule: r.ID, Reason: "it has neither regex nor path, so that it finds nothing"}
	}
	return made, r.allow(made)
}

// own applies the finishline table.
func (r *fileRule) own(made *Rule) error {
	own := r.Finishline
	if own == nil {
		return nil
	}
	made.Dialect = ExtendedDialect
	made.Group, made.Left, made.Right, made.Checks, made.Base64 = own.Group, own.Left, own.Right, own.Checks, own.Base64
	tier, known := Gate, own.Tier == ""
	if !known {
		tier, known = tierOf(own.Tier)
	}
	if !known {
		return &FileError{Rule: r.ID, Reason: fmt.Sprintf("finishline.tier is %q, none of gate, pii, info", own.Tier)}
	}
	made.Tier = tier
	return nil
}

// change applies the members that are given to a rule of the same id in the
// set that is extended; lists are added to.
func (r *fileRule) change(old *Rule) error {
	if r.Description != "" {
		old.Description = r.Description
	}
	if r.Regex != "" {
		old.Expression = r.Regex
	}
	if r.Path != "" {
		old.Path = r.Path
	}
	if r.SecretGroup != 0 {
		old.SecretGroup = r.SecretGroup
	}
	if r.Entropy != 0 {
		old.Entropy = r.Entropy
	}
	for _, k := range r.Keywords {
		old.Keywords = append(old.Keywords, strings.ToLower(k))
	}
	if err := r.own(old); err != nil {
		return err
	}
	return r.allow(old)
}

func (r *fileRule) allow(made *Rule) error {
	lists := r.Allowlists
	if r.Allowlist != nil {
		lists = append(lists, *r.Allowlist)
	}
	for i := range lists {
		a, err := lists[i].allowlist()
		if err != nil {
			return &FileError{Rule: r.ID, Reason: "allowlist", Err: err}
		}
		made.Allow = append(made.Allow, a)
	}
	return nil
}

func (a *fileAllow) allowlist() (Allowlist, error) {
	made := Allowlist{Description: a.Description, Commits: len(a.Commits) > 0, Paths: a.Paths, Regexes: a.Regexes, Target: "secret"}
	switch strings.ToUpper(a.Condition) {
	case "", "OR", "||":
	case "AND", "&&":
		made.All = true
	default:
		return made, fmt.Errorf("condition is %q, neither OR nor AND", a.Condition)
	}
	switch a.RegexTarget {
	case "", "secret":
	case "match", "line":
		made.Target = a.RegexTarget
	default:
		return made, fmt.Errorf("regexTarget is %q, neither secret, match nor line", a.RegexTarget)
	}
	for _, w := range a.StopWords {
		made.StopWords = append(made.StopWords, strings.ToLower(w))
	}
	if !made.Commits && len(made.Paths)+len(made.Regexes)+len(made.StopWords) == 0 {
		return made, errors.New("it has no criterion")
	}
	return made, nil
}
