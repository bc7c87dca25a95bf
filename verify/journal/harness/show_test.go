package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/big"
	"strings"
	"testing"

	"finishline/verify/journal/flat"
)

func overview(t testing.TB, data []byte, tell func(Entry) error) *Overview {
	t.Helper()
	o, err := Show(context.Background(), bytes.NewReader(data), Options{}, tell)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// reckoning adds up usage in the plainest way: the latest usage record of an
// attempt, or else its heartbeats.
type reckoning struct {
	last   map[string]map[string]any
	deltas map[string]map[string]*big.Rat
	task   map[string]string // attempt to task string
	id     map[string]string // task string to taskId
}

func reckon(t testing.TB, data []byte) reckoning {
	t.Helper()
	c := reckoning{map[string]map[string]any{}, map[string]map[string]*big.Rat{}, map[string]string{}, map[string]string{}}
	for _, line := range splitLines(data) {
		r := decode(t, line).(map[string]any)
		attempt, _ := r["attemptId"].(string)
		if task, ok := r["task"].(string); ok {
			if id, ok := r["taskId"].(string); ok {
				c.id[task] = id
			}
		}
		switch r["kind"] {
		case "attempt.prompt":
			c.task[attempt], _ = r["task"].(string)
			c.deltas[attempt] = map[string]*big.Rat{}
		case "attempt.usage":
			c.last[attempt] = r
		case "attempt.heartbeat":
			delta, _ := r["usageDelta"].(map[string]any)
			for name, v := range delta {
				sum := c.deltas[attempt][name]
				if sum == nil {
					sum = new(big.Rat)
					c.deltas[attempt][name] = sum
				}
				sum.Add(sum, ratOf(t, v))
			}
		}
	}
	return c
}

func ratOf(t testing.TB, v any) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(v.(json.Number).String())
	if !ok {
		t.Fatalf("%v is no number", v)
	}
	return r
}

// total adds up a member over the attempts of a task, or over all for "".
func (c reckoning) total(t testing.TB, taskID, member string) *big.Rat {
	t.Helper()
	sum := new(big.Rat)
	for attempt, task := range c.task {
		if taskID != "" && c.id[task] != taskID {
			continue
		}
		if r, ok := c.last[attempt]; ok {
			if v, ok := r[member]; ok {
				sum.Add(sum, ratOf(t, v))
			}
		} else if v := c.deltas[attempt][member]; v != nil {
			sum.Add(sum, v)
		}
	}
	return sum
}

func sameSum(s flat.Sum, want *big.Rat) bool {
	got, ok := new(big.Rat).SetString(s.String())
	return ok && got.Cmp(want) == 0
}

func TestTotalsAreExact(t *testing.T) {
	for n, data := range journals(t) {
		c := reckon(t, data)
		o := overview(t, data, nil)
		compare := func(what, taskID string, u Usage) {
			t.Helper()
			for member, sum := range map[string]flat.Sum{"inputTokens": u.Input, "outputTokens": u.Output, "cachedTokens": u.Cached, "costUsd": u.Cost} {
				if want := c.total(t, taskID, member); !sameSum(sum, want) {
					t.Errorf("journal %d, %s: %s %s, want %s", n, what, member, sum.String(), want.FloatString(9))
				}
			}
		}
		compare("total", "", o.Total)
		attempts := 0
		for _, task := range o.Tasks {
			if task.ID != "" {
				compare("task "+task.ID, task.ID, task.Usage)
			}
			attempts += task.Attempts
		}
		if attempts != len(c.task) || len(o.Attempts) != len(c.task) || o.Total.Reported+o.Total.Partial+o.Total.Unknown != attempts {
			t.Errorf("journal %d: %d attempts of tasks, %d in all, want %d", n, attempts, len(o.Attempts), len(c.task))
		}
		if n == 0 && (o.Total.Cost.Zero() || o.Total.Unknown == 0 || len(o.Tasks) == 0) {
			t.Errorf("nothing to add up: %+v", o.Total)
		}
	}
}

func TestEntriesInOrder(t *testing.T) {
	data := journal(t, 1, 4)
	var entries []Entry
	o := overview(t, data, func(e Entry) error { entries = append(entries, e); return nil })
	list := splitLines(data)
	if len(entries) != len(list) || o.Records != len(list) || o.Bad != 0 || o.Stretches != 2 || o.State != "final" || o.Ended != "run.complete" || o.Plan != "invoices" {
		t.Fatalf("%d entries of %d records: %+v", len(entries), len(list), o)
	}
	for i, e := range entries {
		r := decode(t, list[i]).(map[string]any)
		if e.Line != i+1 || e.Kind != r["kind"] || e.Ignored {
			t.Errorf("line %d: %+v", i+1, e)
		}
		if id, ok := r["taskId"].(string); ok && e.Task != id {
			t.Errorf("line %d: %+v", i+1, e)
		}
	}
	if e := entries[0]; e.Text != "generation 1, token sup-run-0004-1, unit harness-run@run-0004.service" || e.Stretch != 1 {
		t.Errorf("%+v", e)
	}
	if last := entries[len(entries)-1]; last.Stretch != 2 || !strings.HasPrefix(last.Text, "status complete, landStatus landed") {
		t.Errorf("%+v", last)
	}
}

func TestShowLeavesOutBadLinesAndSaysSo(t *testing.T) {
	data := []byte("{\"kind\":\"run.open\"}\n{broken\n{\"kind\":\"nothing\"}\n\n{\"kind\":\"run.complete\"}\n{\"kind\":\"task-start\",\"taskId\":\"a\\u001b[31mb\"}\n")
	var entries []Entry
	o := overview(t, data, func(e Entry) error { entries = append(entries, e); return nil })
	if len(entries) != 3 || o.Bad != 2 || o.FirstBad != 2 || o.Blank != 1 || o.Records != 4 {
		t.Errorf("%d entries, %+v", len(entries), o)
	}
	if e := entries[2]; !e.Ignored || strings.Contains(e.Task, "\x1b") {
		t.Errorf("%+v", e)
	}
	stop := errors.New("enough")
	if _, err := Show(context.Background(), bytes.NewReader(data), Options{}, func(Entry) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("error %v", err)
	}
	if o := overview(t, []byte("{\"x\":1}\n"), nil); !o.Resolved {
		t.Errorf("%+v", o)
	}
	if o, err := Show(context.Background(), strings.NewReader("{\"x\":1}\n"), Options{Payload: Auto}, nil); err != nil || o.Resolved {
		t.Errorf("%+v, error %v", o, err)
	}
}

func TestOverviewOfHugeNumbers(t *testing.T) {
	const attempt = `{"kind":"attempt.prompt","attemptId":"a","task":"t","phase":"p","seat":"s","model":"m","wrapper":"w","timeoutSecs":1,"promptPath":"p","promptSha":"0000000000000000000000000000000000000000000000000000000000000000","causalInput":"c"}` + "\n"
	usage := func(in, cost string) string {
		return `{"kind":"attempt.usage","attemptId":"a","inputTokens":` + in + `,"outputTokens":0,"model":"m","costUsd":` + cost + "}\n"
	}
	o := overview(t, []byte(`{"kind":"run.open"}`+"\n"+attempt+usage("123456789012345678901234567890", "0.1")+strings.ReplaceAll(attempt+usage("1", "0.2"), `"a"`, `"b"`)), nil)
	if in, cost := o.Total.Input.String(), o.Total.Cost.String(); in != "123456789012345678901234567891" || cost != "0.3" {
		t.Errorf("%s tokens, %s", in, cost)
	}
	o = overview(t, []byte(attempt+usage("1e1000000000", "1e-1000000000")), nil)
	if in := o.Total.Input.String(); !strings.HasPrefix(in, "about 1") || len(in) > 40 {
		t.Errorf("%s", in)
	}
}
