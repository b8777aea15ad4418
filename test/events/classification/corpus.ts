import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HitKind } from '../../../src/events/classification/agents.js';
import { RequestClassifier, SIGN_HEADERS } from '../../../src/events/classification/classify-request.js';
import { readScannerNetworks } from '../../../src/events/classification/scanner-networks.js';
import type { ClassifiedHit } from '../../../src/events/ingest/rules/hit.js';
import { classifyHits } from '../../../src/events/ingest/rules/classify-hits.js';
import { verdictOf, type EngagementClass, type Verdict } from '../../../src/events/verdict.js';
import { CsvReader } from '../../../src/platform/csv/csv-reader.js';
import { readSettings } from '../../../src/platform/config/settings.js';

const FILE = join(import.meta.dirname, '..', '..', 'fixtures', 'engagement', 'requests.csv');
const SENT_AT = Date.UTC(2026, 10, 22);
const AN_HOUR_LATER = 3_600_000;

/** A row of the corpus. Empty fields stand for what the request does not have. */
export interface LabelledRequest {
  readonly kind: HitKind;
  readonly agent: string;
  /** `name: value`, separated by a bar, in addition to the user agent. */
  readonly headers: string;
  readonly address: string;
  /** Milliseconds after the hand-over; an hour if empty. */
  readonly afterMs: string;
  /** Requests with the same value belong to one email. */
  readonly email: string;
  readonly position: string;
  /** Number of tracked links in the email. */
  readonly links: string;
  readonly expected: EngagementClass;
  /** `yes` for people who must never count as machines. */
  readonly certain: string;
  readonly source: string;
}

export interface ClassifiedRequest {
  readonly request: LabelledRequest;
  readonly verdict: Verdict;
}

/** Classifies the corpus as the edge and the flusher do, with the default windows. */
export function classifyCorpus(): ClassifiedRequest[] {
  const requests = readCorpus();
  const classifier = new RequestClassifier(readScannerNetworks());
  const emails = new Map<string | LabelledRequest, LabelledRequest[]>();
  for (const request of requests) {
    const key = request.email || request;
    emails.set(key, [...(emails.get(key) ?? []), request]);
  }
  return [...emails.values()].flatMap((group) => {
    const hits = group.map((request, index) => hitOf(request, classifier, index));
    const email = { sentAt: SENT_AT, isOnlyAttempt: true, linkCount: Number(group[0]!.links) };
    const changed = classifyHits(hits, email, readSettings({}));
    return group.map((request, index) => {
      const hit = hits[index]!;
      return { request, verdict: verdictOf(changed.get(hit) ?? hit.verdict) };
    });
  });
}

function readCorpus(): LabelledRequest[] {
  const reader = new CsvReader();
  const [names, ...rows] = [...reader.push(readFileSync(FILE, 'utf8')), ...reader.end()].map(({ fields }) => fields);
  return rows.map((fields) => Object.fromEntries(names!.map((name, index) => [name, fields[index]])) as never);
}

function hitOf(request: LabelledRequest, classifier: RequestClassifier, index: number): ClassifiedHit {
  const { kind, agent, address, afterMs, position } = request;
  const headers = new Map(request.headers.split(' | ').map((line) => line.split(': ') as [string, string]));
  if (agent !== '') headers.set('user-agent', agent);
  const values = SIGN_HEADERS.map((name) => headers.get(name));
  return {
    id: String(index),
    at: SENT_AT + (afterMs === '' ? AN_HOUR_LATER : Number(afterMs)),
    position: kind === 'click' ? Number(position) : null,
    verdict: classifier.classify(kind, values, address || undefined),
  };
}
