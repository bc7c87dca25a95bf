// Package synthetic writes Harness v2 journals of any size that keep every rule
// of contract 20, for benchmarks, properties and fuzz seeds. It is no part of
// the program.
package synthetic

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// bytesOfTask is about how much one task writes; a plan has as many tasks as
// that makes, from minTasks to maxTasks.
const (
	bytesOfTask = 512 << 10
	minTasks    = 3
	maxTasks    = 2000
)

// Write writes the journal of one whole run, of at least size bytes and not
// much more. Equal arguments give equal bytes. Every kind of record occurs in a
// journal of some dozen KiB. Tasks run two at a time, in rounds of a worker call
// with heartbeats, verification, review and repair as a coordinator makes them:
// about 290 bytes for a record, and one attempt for every 4 KiB.
func Write(w io.Writer, size int64, seed uint64) (records int, err error) {
	g := &generator{out: bufio.NewWriterSize(w, 1<<16), random: seed, run: fmt.Sprintf("run-%04x", seed&0xffff)}
	g.plan(size)
	g.open()
	for i := 0; i < len(g.tasks); i += 2 {
		pair := g.tasks[i:min(i+2, len(g.tasks))]
		for t := range pair {
			g.start(&pair[t])
		}
		until := size / int64(len(g.tasks)) * int64(i+len(pair))
		for round := 0; round == 0 || g.written < until; round++ {
			for t := range pair {
				g.round(&pair[t])
			}
		}
		for t := range pair {
			g.finish(&pair[t])
		}
	}
	g.close()
	return g.records, g.out.Flush()
}

type generator struct {
	out     *bufio.Writer
	random  uint64
	run     string
	written int64
	records int

	tasks                        []task
	digest, source, base, engine string // of the plan
	head                         string // of the integration
	attempts, checkpoints        int
	last                         string // checkpoint
}

type task struct {
	id, name, contract, head     string
	round, revision, retry, park int
}

// next is the next random number (splitmix64).
func (g *generator) next() uint64 {
	g.random += 0x9e3779b97f4a7c15
	z := g.random
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (g *generator) below(n int) int { return int(g.next() % uint64(n)) }

func (g *generator) hex(n int) string {
	var b strings.Builder
	for b.Len() < n {
		fmt.Fprintf(&b, "%016x", g.next())
	}
	return b.String()[:n]
}

func (g *generator) write(format string, args ...any) {
	n, _ := fmt.Fprintf(g.out, format+"\n", args...) // Flush tells of errors
	g.written += int64(n)
	g.records++
}

func (g *generator) plan(size int64) {
	count := min(max(int(size/bytesOfTask), minTasks), maxTasks)
	g.tasks = make([]task, count)
	for i := range g.tasks {
		id := fmt.Sprintf("%s-%03d", [...]string{"parse", "round", "export", "index"}[i%4], i)
		g.tasks[i] = task{id: id, name: "invoices#" + id, contract: g.hex(64)}
	}
	g.digest, g.source, g.base, g.engine = g.hex(64), g.hex(64), g.hex(40), g.hex(40)
	g.head = g.base
}

// open writes a plan that failed, the plan, the fixed inputs, and the one
// resumption of the run.
func (g *generator) open() {
	g.write(`{"kind":"supervision.registered","generation":1,"token":"sup-%s-1","unit":"harness-run@%s.service"}`, g.run, g.run)
	g.write(`{"kind":"plan-error","message":"the plan file was not yet there"}`)
	g.write(`{"kind":"plan-start","slug":"invoices","runId":"%s","taskCount":%d,"gateMode":"strict","branch":"work/invoices","concurrency":2}`, g.run, len(g.tasks))
	g.runOpen(g.engine)
	g.write(`{"kind":"run.interrupted","status":"incomplete","signal":"SIGTERM"}`)
	g.write(`{"kind":"supervision.registered","generation":2,"token":"sup-%s-2","unit":"harness-run@%s.service"}`, g.run, g.run)
	engine := g.hex(40)
	g.write(`{"kind":"engine.migrated","fromSha":"%s","toSha":"%s","engineRoot":"/opt/engine"}`, g.engine, engine)
	g.runOpen(engine)
}

func (g *generator) runOpen(engine string) {
	var contracts strings.Builder
	for i, t := range g.tasks {
		if i > 0 {
			contracts.WriteByte(',')
		}
		fmt.Fprintf(&contracts, `"%s":"%s"`, t.id, t.contract)
	}
	g.write(`{"kind":"run.open","repoRoot":"/srv/repos/invoices","baseCommit":"%s","integrationRef":"refs/heads/integ/invoices","planDigest":"%s","sourceDigest":"%s","taskContracts":{%s},"engineSha":"%s","engineRoot":"/opt/engine"}`,
		g.base, g.digest, g.source, contracts.String(), engine)
}

func (g *generator) start(t *task) {
	g.write(`{"kind":"task-start","taskId":"%s","desc":"implement %s","seat":"builder","tier":"standard"}`, t.id, t.id)
	g.write(`{"kind":"provision.failed","taskId":"%s","cmd":"make deps","exitCode":2,"logTail":"make: *** [deps] Error 2\n"}`, t.id)
	t.head = g.hex(40)
}

// identity is the quality identity of a task.
func (g *generator) identity(t *task, class, fingerprint string) string {
	return fmt.Sprintf(`"task":"%s","taskId":"%s","phase":"build","binding":"bind-1","runId":"%s","failureClass":"%s","failureFingerprint":"%s","baseHead":"%s","taskHead":"%s","account":"acct-3","seat":"seat-b"`,
		t.name, t.id, g.run, class, fingerprint, g.base, t.head)
}

// round writes one worker call and what follows from it.
func (g *generator) round(t *task) {
	t.round++
	g.write(`{"kind":"dispatch.attempt",%s}`, g.identity(t, "none", "fp-none"))
	g.call(t)
	g.write(`{"kind":"gate.attempt",%s,"outputDigest":"%s"}`, g.identity(t, "none", "fp-none"), g.hex(16))
	if t.round%4 == 2 {
		g.limit(t)
	}
	if t.round%3 == 1 {
		g.repair(t)
	}
	g.review(t, t.round%5 == 1)
}

// call writes an attempt from its prompt to its usage.
func (g *generator) call(t *task) {
	g.attempts++
	id := fmt.Sprintf("at-%s-%06d", g.run, g.attempts)
	model := [...]string{"ox-large", "ox-small"}[g.below(2)]
	g.write(`{"kind":"attempt.prompt","attemptId":"%s","task":"%s","phase":"build","seat":"builder","model":"%s","wrapper":"wrap-cli","timeoutSecs":1800,"promptPath":"prompts/%s.md","promptSha":"%s","causalInput":"contract:%s","account":"acct-3"}`,
		id, t.name, model, id, g.hex(64), t.contract[:12])
	input, output, pid := 0, 0, 4000+g.below(30000)
	for beat := 1; beat <= 3+g.below(4); beat++ {
		in, out := g.below(4000), g.below(900)
		input, output = input+in, output+out
		g.write(`{"kind":"attempt.heartbeat","attemptId":"%s","pid":%d,"elapsedSecs":%d,"timeoutSecs":1800,"eventCount":%d,"lastActivity":"editing src/%s/file_%d.go","usageDelta":{"inputTokens":%d,"outputTokens":%d,"costUsd":0.%04d}}`,
			id, pid, 30*beat, 5*beat, t.id, g.below(40), in, out, g.below(10000))
	}
	g.write(`{"kind":"attempt.activity","attemptId":"%s","toolCalls":%d,"filesTouched":["src/%s.go","src/%s_test.go"],"repeatedCommands":[["go","test","./..."],["go","vet","./..."]],"failureFingerprint":"%s"}`,
		id, g.below(60), t.id, t.id, g.hex(16))
	g.write(`{"kind":"attempt.reply","attemptId":"%s","valid":true,"replyPath":"replies/%s.md","account":"acct-3"}`, id, id)
	if g.below(8) == 0 {
		g.write(`{"kind":"attempt.usage","attemptId":"%s","unknown":true,"model":"%s"}`, id, model)
		return
	}
	g.write(`{"kind":"attempt.usage","attemptId":"%s","inputTokens":%d,"outputTokens":%d,"cachedTokens":%d,"costUsd":%d.%04d,"model":"%s"}`,
		id, input+g.below(500), output+g.below(100), g.below(2000), g.below(3), g.below(10000), model)
}

// limit writes a wait for a rate limit.
func (g *generator) limit(t *task) {
	t.park++
	who := g.identity(t, "rate-limit", "fp-429")
	g.write(`{"kind":"rate-limit.parked",%s,"parkCount":%d,"resetAt":"2026-05-04T10:15:00Z","provider":"northwind"}`, who, t.park)
	for range 1 + g.below(3) {
		g.write(`{"kind":"rate-limit.heartbeat",%s}`, who)
	}
	g.write(`{"kind":"rate-limit.woken",%s}`, who)
}

// repair writes a verification that failed and was repaired.
func (g *generator) repair(t *task) {
	t.retry++
	fingerprint := "fp-" + g.hex(16)
	g.write(`{"kind":"verify.failed","task":"%s","phase":"build","command":"go test ./...","code":1,"tail":"--- FAIL: TestRounding (0.00s)\n    rounding_test.go:%d: got %d, want %d\nFAIL"}`, t.name, g.below(900), g.below(99), g.below(99))
	g.write(`{"kind":"fix.rung","task":"%s","phase":"build","rung":"fixer","binding":"fix-%d"}`, t.name, t.retry)
	g.write(`{"kind":"retry.attempt",%s,"outcome":"failed","outputDigest":"%s"}`, g.identity(t, "test", fingerprint), g.hex(16))
	if t.retry%4 == 3 {
		g.write(`{"kind":"retry.stop-loss",%s}`, g.identity(t, "test", fingerprint))
	}
	g.write(`{"kind":"verify.retry","task":"%s","attempt":%d,"code":1}`, t.name, t.retry)
}

// review writes a verification that passed and a review, which may send the
// work back.
func (g *generator) review(t *task, again bool) {
	g.write(`{"kind":"verify.passed","task":"%s","phase":"build","commands":[{"command":"go vet ./...","code":0},{"command":"go test ./...","code":0,"ms":%d}]}`, t.name, g.below(90000))
	if g.below(6) == 0 {
		g.write(`{"kind":"reply.unmarked","task":"%s","phase":"build","binding":"rev-%d"}`, t.name, t.round)
	}
	binding := fmt.Sprintf("rev-%d", t.round%50)
	g.write(`{"kind":"review.attempt","task":"%s","phase":"build","binding":"%s"}`, t.name, binding)
	if again {
		t.revision++
		g.write(`{"kind":"review.verdict","task":"%s","phase":"build","binding":"%s","verdict":"FAIL","findings":[{"severity":"major","path":"src/%s.go","message":"totals are rounded half up, the contract says half even: caf\u00e9 rows differ by 0.01"},{"severity":"minor","path":null,"message":"the test does not cover \"empty\" input"}]}`, t.name, binding, t.id)
		g.write(`{"kind":"review.revise","task":"%s","attempt":%d,"findingsCount":2}`, t.name, t.revision)
		return
	}
	g.write(`{"kind":"review.verdict","task":"%s","phase":"build","binding":"%s","verdict":"PASS","findings":[]}`, t.name, binding)
	g.write(`{"kind":"quality.green","task":"%s","phase":"build"}`, t.name)
}

// finish writes how a result passes, is checkpointed and integrated.
func (g *generator) finish(t *task) {
	g.call(t)
	g.review(t, false)
	g.write(`{"kind":"review.skipped","task":"%s","phase":"docs","reason":"documentation only"}`, t.name)
	receipt := "qr-" + g.run + "-" + t.id
	g.write(`{"kind":"quality.passed","receiptId":"%s","taskId":"%s"}`, receipt, t.id)
	result := g.hex(40)
	five := fmt.Sprintf(`"taskId":"%s","planDigest":"%s","taskContractDigest":"%s","qualityReceipt":"%s","baseCommit":"%s","resultCommit":"%s"`, t.id, g.digest, t.contract, receipt, g.head, result)
	g.write(`{"kind":"integration.intent",%s}`, five)
	if g.checkpoints%5 == 1 {
		g.write(`{"kind":"integration.recovered","taskId":"%s","resultCommit":"%s"}`, t.id, result)
	} else {
		g.write(`{"kind":"integration.applied",%s}`, five)
	}
	dependency := ""
	if g.last != "" {
		dependency = `"` + g.last + `"`
	}
	g.checkpoints++
	g.last = "cp-" + g.run + "-" + t.id
	g.write(`{"kind":"task.checkpoint","checkpointId":"%s","dependencyCheckpointIds":[%s],"leaseToken":"lease-%s-1","leaseEpoch":1,%s}`, g.last, dependency, g.run, five)
	g.write(`{"kind":"task-end","taskId":"%s","status":"done","commitSha":"%s"}`, t.id, result)
	g.head = result
}

// close writes an exhausted budget, the end of the plan and of the run.
func (g *generator) close() {
	g.write(`{"kind":"budget.exhausted","task":"%s","count":6,"cap":6}`, g.tasks[0].name)
	var statuses strings.Builder
	for i, t := range g.tasks {
		if i > 0 {
			statuses.WriteByte(',')
		}
		fmt.Fprintf(&statuses, `"%s":"done"`, t.id)
	}
	g.write(`{"kind":"plan-end","landStatus":"landed","integrationHead":"%s","pushPending":false,"statuses":{%s}}`, g.head, statuses.String())
	g.write(`{"kind":"run.complete","status":"complete","landStatus":"landed","integrationHead":"%s"}`, g.head)
}
