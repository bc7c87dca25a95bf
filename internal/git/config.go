package git

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Bounds on what a configuration may make us do.
const (
	maxConfigEntries = 100_000
	maxDrivers       = 256 // filter drivers, each of which has to be neutralised in every command
)

// config is the effective configuration in the order Git applies it.
type config struct {
	entries []configEntry
}

type configEntry struct{ key, value string }

// parseConfig reads the output of "git config --null --list": each entry is "key LF value NUL", or "key NUL" for a key
// without "=", which Git reads as true.
func parseConfig(out []byte) (*config, error) {
	const op = "git config"
	c := new(config)
	for rest := string(out); rest != ""; {
		record, after, ok := strings.Cut(rest, "\x00")
		if !ok || len(c.entries) == maxConfigEntries {
			return nil, malformed(op, "unterminated output or more than %d entries", maxConfigEntries)
		}
		rest = after
		key, value, ok := strings.Cut(record, "\n")
		if !ok {
			value = "true"
		}
		if strings.IndexByte(key, '.') <= 0 {
			return nil, malformed(op, "key %q", key)
		}
		c.entries = append(c.entries, configEntry{key, value})
	}
	return c, nil
}

func (c *config) last(key string) (string, bool) {
	for _, e := range slices.Backward(c.entries) {
		if e.key == key {
			return e.value, true
		}
	}
	return "", false
}

// filterVariables are the keys of a filter driver that run a program.
var filterVariables = [...]string{"clean", "smudge", "process"}

// filters lists the filter drivers that would run a program, sorted. Git looks the driver up by the last value, but a
// driver is one as soon as any value is there: what is switched off later may be switched on by the order of reading.
func (c *config) filters() []string {
	var names []string
	for _, e := range c.entries {
		section, rest, _ := strings.Cut(e.key, ".")
		dot := strings.LastIndexByte(rest, '.')
		if section == "filter" && dot >= 0 && slices.Contains(filterVariables[:], rest[dot+1:]) {
			names = append(names, rest[:dot])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// neutralise gives the arguments and the environment that empty every command of the named filter drivers, in addition
// to env, and proves by reading the configuration back that they do. Names with "=" cannot be given with -c, which
// splits at the first one.
func (r *Repo) neutralise(ctx context.Context, dir string, env, drivers []string) (args, guards []string, err error) {
	if len(drivers) == 0 {
		return nil, nil, nil
	}
	refuse := func(detail string) error {
		return &Error{Kind: Unavailable, Reason: Unsafe, Op: "neutralise filter drivers", Detail: printable(detail)}
	}
	if len(drivers) > maxDrivers {
		return nil, nil, refuse(fmt.Sprintf("%d filter drivers are configured, more than %d", len(drivers), maxDrivers))
	}
	count := 0
	for _, d := range drivers {
		for _, v := range append(filterVariables[:], "required") {
			key, value := "filter."+d+"."+v, ""
			if v == "required" {
				value = "false"
			}
			if strings.Contains(d, "=") {
				guards = append(guards, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", count, key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", count, value))
				count++
			} else {
				args = append(args, "-c", key+"="+value)
			}
		}
	}
	if count > 0 {
		guards = append(guards, fmt.Sprintf("GIT_CONFIG_COUNT=%d", count))
	}
	out, err := r.run.output(ctx, invocation{dir: dir, bare: true, config: args, env: slices.Concat(env, guards),
		args: []string{"config", "--null", "--list", "--includes"}})
	if err != nil {
		return nil, nil, err
	}
	now, err := parseConfig(out)
	if err != nil {
		return nil, nil, err
	}
	for _, d := range now.filters() {
		for _, v := range filterVariables {
			if value, ok := now.last("filter." + d + "." + v); ok && value != "" {
				return nil, nil, refuse("filter driver " + d + " keeps its " + v + " command")
			}
		}
	}
	return args, guards, nil
}
