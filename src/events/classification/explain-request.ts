import { corroborated, verdictOf, type Verdict } from '../verdict.js';
import type { HitKind } from './agents.js';
import { knownAgentOf } from './classify-agent.js';
import { SIGN_HEADERS, type RequestClassifier } from './classify-request.js';

/** A request as an operator describes it. */
export interface DescribedRequest {
  readonly kind: HitKind;
  /** By name in lower case, with the user agent. */
  readonly headers: ReadonlyMap<string, string>;
  readonly address: string | undefined;
}

interface RequestExplanation extends Verdict {
  readonly why: string;
  /** The verdict when the hit comes soon after the hand-over; null when its time changes nothing. */
  readonly soonAfterSending: Verdict | null;
}

const INSTANT: Verdict = { class: 'scanner', reason: 'timing:instant', certainty: 'probable' };

/** Explains the verdict on a request, with the sign that decides it. */
export function explainRequest(classifier: RequestClassifier, request: DescribedRequest): RequestExplanation {
  const { kind, headers, address } = request;
  const values = SIGN_HEADERS.map((name) => headers.get(name));
  const code = classifier.classify(kind, values, address);
  const verdict = verdictOf(code);
  const machine = corroborated(code);
  const later = machine === undefined ? INSTANT : verdictOf(machine);
  return {
    ...verdict,
    why: signOf(classifier, request, verdict),
    soonAfterSending: verdict.class === 'human' ? later : null,
  };
}

function signOf(
  classifier: RequestClassifier,
  { kind, headers, address }: DescribedRequest,
  { reason }: Verdict,
): string {
  const [source, name] = reason.split(':');
  if (source === 'network') return `The address is in ${classifier.networkOf(kind, address)!.line}.`;
  if (reason === 'header:no-accept-language') return 'A click of a browser has the header Accept-Language.';
  if (source === 'header') return `The header ${name} is "${headers.get(name!)!}".`;
  if (source === 'user-agent') return agentSign(headers.get('user-agent') ?? '', kind, reason);
  return 'Nothing in the request shows a machine.';
}

function agentSign(userAgent: string, kind: HitKind, reason: string): string {
  if (reason === 'user-agent:missing') return 'The request has no user agent.';
  if (reason === 'user-agent:bare-webkit') {
    return 'The user agent names an engine and no browser: Apple Mail, Outlook or a prefetch for them.';
  }
  const known = knownAgentOf(userAgent, kind);
  if (known === undefined) return 'The library isbot recognizes the user agent as a robot.';
  return `The user agent ${known.exact ? 'is' : 'contains'} "${known.token}" (${known.source}).`;
}
