package hux

import "finishline/verify/journal/flat"

// An artifact of a conversation.
type artifact struct {
	latest  flat.Decimal
	created bool
	carried bool // some created or version event carried a version
}

// artifact applies the rules about artifacts.
func (s *stream) artifact(e *event) {
	const at = "/detail/artifact_id"
	i, known := s.artifactsByID.get(e.subject)
	if !known {
		i = s.artifacts.add(artifact{})
		s.artifactsByID.put(e.subject, i)
	}
	a := s.artifacts.at(i)
	switch {
	case e.kind == artifactCreated && a.created:
		s.fire("hux.artifact.created-duplicate", e, at, "an id that no artifact has yet")
	case e.kind != artifactCreated && !a.created:
		s.unresolvedEvent("hux.artifact.unknown", e, at, "an artifact that was created before")
	}
	a.created = a.created || e.kind == artifactCreated
	if !e.has.is(hasVersion) {
		return
	}
	if e.kind == artifactPromoted {
		if _, made := s.versions.get(e.versioned); a.carried && !made {
			s.unresolvedEvent("hux.artifact.promoted-unknown-version", e, "/detail/version", "a version that was created before")
		}
		return
	}
	newer := !a.carried || e.version.Cmp(a.latest) > 0
	if e.kind == artifactVersion && !newer {
		s.fireAfter("hux.artifact.version-order", e, "/detail/version", "more than ", a.latest)
	}
	if newer {
		s.wide += wideBytes(e.version) - wideBytes(a.latest)
		a.latest = e.version
	}
	a.carried = true
	s.versions.put(e.versioned, 0)
}
