package lines

import (
	"context"
	"io"
	"runtime"
	"sync"
)

// MaxWorkers bounds the goroutines that parse, and with them the memory that
// batches take on a machine of many cores.
const MaxWorkers = 16

// Stages are what Process does with batches of lines. A result R belongs to one
// batch at a time and is used again for a later one, so it still holds what the
// earlier batch left in it, such as slices to append to.
type Stages[R any] struct {
	// Worker makes the parsing function of one goroutine, with the scratch
	// memory it keeps. The function fills the result of a batch and may run
	// beside others; it must not keep the lines or anything of their text,
	// except in the result.
	Worker func() func(batch []Line, result *R)
	// Deliver gets the batches in the order of the stream, on the goroutine
	// that called Process, with the result filled. Neither may be kept after
	// it returns. An error stops everything and is what Process returns.
	Deliver func(batch []Line, result *R) error
}

// Process reads a stream to its end, parses batches of lines on several
// goroutines and delivers the results in order. All goroutines have ended when
// it returns. The error is Deliver's, the context's, or the stream's, in this
// order; the summary then says how far reading came.
func Process[R any](ctx context.Context, r io.Reader, o Options, stages Stages[R]) (Summary, error) {
	p := newPipeline[R](o)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	src := newSource(r, o)
	var running sync.WaitGroup
	running.Go(func() { p.read(ctx, src) })
	for range p.workers {
		parse := stages.Worker()
		running.Go(func() {
			for b := range p.work {
				b.lines = b.chunk.split(b.lines[:0], src.maxLine)
				parse(b.lines, &b.result)
				b.parsed <- struct{}{}
			}
		})
	}
	err := p.deliver(ctx, stages.Deliver)
	cancel()
	running.Wait()
	if err == nil {
		err = src.err
	}
	return src.sum, err
}

// A batch is a chunk on its way through the pipeline.
type batch[R any] struct {
	chunk  chunk
	lines  []Line
	result R
	parsed chan struct{} // told once when the result is filled
}

type pipeline[R any] struct {
	workers int
	free    chan *batch[R] // to be filled
	work    chan *batch[R] // to be parsed, by anyone
	order   chan *batch[R] // to be delivered, in this order
}

func newPipeline[R any](o Options) *pipeline[R] {
	workers := o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = min(workers, MaxWorkers)
	count := 2*workers + 2
	p := &pipeline[R]{
		workers: workers,
		free:    make(chan *batch[R], count),
		work:    make(chan *batch[R], count),
		order:   make(chan *batch[R], count),
	}
	for range count {
		p.free <- &batch[R]{parsed: make(chan struct{}, 1)}
	}
	return p
}

// read cuts the stream into batches until it ends or nobody wants more.
func (p *pipeline[R]) read(ctx context.Context, src *source) {
	defer close(p.order)
	defer close(p.work)
	for {
		var b *batch[R]
		select {
		case b = <-p.free:
		case <-ctx.Done():
			return
		}
		if ctx.Err() != nil || !src.next(&b.chunk) {
			return
		}
		p.work <- b // never blocks: there are no more batches than places
		p.order <- b
	}
}

// deliver hands batches over in order.
func (p *pipeline[R]) deliver(ctx context.Context, deliver func([]Line, *R) error) error {
	for b := range p.order {
		<-b.parsed
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := deliver(b.lines, &b.result); err != nil {
			return err
		}
		p.free <- b
	}
	return ctx.Err()
}
