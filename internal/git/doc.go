// Package git reads a Git repository that an adversary wrote.
//
// It is the only place of the module that runs Git. Everything is read-only and hardened as contract 03 (C.4, E.2, E.3)
// and contract 06 (section 2) pin it: an absolute program, an environment built from nothing, every setting that could
// change an answer or start a program given on the command line, drivers of the repository neutralised, no network, no
// replacement objects, bounded time and output, and never a write below the repository.
//
// # How to use it
//
//	prog, err := git.Find(os.Getenv("PATH"))       // once, in cmd
//	repo, err := git.Open(ctx, prog, dir)          // facts of the directory's repository
//	defer repo.Close()
//	head, err := repo.Head(ctx)                    // fresh at each call
//
// Objects come from one "git cat-file --batch" process and are re-hashed: [Repo.Object], [Repo.Peel],
// [Repo.TreeEntries], [Repo.BlobAt], [Repo.Resolve]. Git itself serves a swapped loose object under the right id without
// complaint, so each result says whether it is Genuine; [Repo.Forged] lists every id that was not. Base rules of the
// contracts may use such content, strict rules refuse it.
//
// The state of the work tree comes from an [Index]: a private copy of the repository's index made by [Repo.Index], on
// which [Index.Status], [Index.Diff], [Index.Untracked], [Index.Entries] and [Index.ContentFiltered] look at the files
// as they are at that moment. Take a new Index for a fresh look.
//
// # What is promised
//
//   - No program named by the repository, its configuration, its attributes or its submodules runs; no socket is opened.
//   - Git never trusts cached stat data or a cached tree of the index: content is compared (see [Repo.Index]).
//   - The output of status and diff is what Git prints under its defaults, whatever is configured.
//   - A command that fails, takes longer than [CommandTimeout], prints more than [MaxOutputBytes], or is refused for
//     dubious ownership is an [*Error] that names the cause, never an empty answer.
//
// What is not promised: that the repository is honest. The content of packs, refs and the index is the adversary's;
// only object ids that were re-hashed prove anything. Names and paths come back exactly as Git stores them, so they
// may hold any byte but NUL.
package git
