import type { HitKind } from '../../events/classification/agents.js';
import { SIGN_HEADERS, type RequestClassifier } from '../../events/classification/classify-request.js';
import type { VerdictCode } from '../../events/verdict.js';
import { FORWARDED_HEADERS, type ClientAddresses } from '../../platform/http/client-address.js';
import { HeaderNames, type RequestHead } from '../../platform/http/fast-path/request-head.js';

const DIRECT = new HeaderNames(SIGN_HEADERS);
const BEHIND_PROXIES = new HeaderNames([...SIGN_HEADERS, ...FORWARDED_HEADERS]);

/** Classifies hits. The user agent and the address stay in the memory of this process. */
export class HitVerdicts {
  private readonly wanted: HeaderNames;

  constructor(
    private readonly classifier: RequestClassifier,
    private readonly addresses: ClientAddresses,
  ) {
    this.wanted = addresses.readsHeaders ? BEHIND_PROXIES : DIRECT;
  }

  of(kind: HitKind, head: RequestHead): VerdictCode {
    const headers = head.read(this.wanted);
    const client = this.addresses.clientOf(head.peer, headers[SIGN_HEADERS.length], headers[SIGN_HEADERS.length + 1]);
    return this.classifier.classify(kind, headers, client);
  }
}
