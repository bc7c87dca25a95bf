package store

// readBeside reads the journal with the snapshot beside it, where the
// configuration tells which run this is, so that the journal will be evaluated
// whatever the snapshot says. It returns nil when the two do not go together
// without anything to say of them; then each is to be read by itself, which
// tells what is wrong. The snapshot is opened first, as it is read first then: a
// bridge that goes on appends to the journal before it replaces the snapshot.
func (r *run) readBeside() (*chain, error) {
	id := r.config.value.Get("runId").Text()
	if r.opt.plainly || !r.config.usable(structure) || StorageKey(id) != r.name {
		return nil, nil
	}
	c := openCompanion(r.dir, r.opt.Key)
	if c == nil {
		return nil, nil
	}
	defer c.close()
	c.past.projected = base(r.config.value.Get("adapterPolicy")) // the events will be gone
	before := *r.opt.progressed
	how := r.reading(id)
	how.beside = c
	journal, err := readJournal(r.ctx, r.dir, r.prefix+JournalFile, how)
	if err != nil {
		return nil, err
	}
	if journal.flawless() {
		r.snapshot = c.finish()
	}
	if r.snapshot == nil {
		*r.opt.progressed = before
		return nil, nil
	}
	r.past = c.past
	return journal, nil
}
