import { codeOfVerdict, corroborated, NO_SIGN, type VerdictCode } from '../verdict.js';
import type { HitKind } from './agents.js';
import { classifyAgent, namesBrowser } from './classify-agent.js';
import type { NetworkSign, ScannerNetworks } from './scanner-networks.js';

/** The headers that show a machine, in the order in which the classifier expects their values. */
export const SIGN_HEADERS = ['user-agent', 'accept-language', 'sec-purpose', 'purpose', 'x-purpose', 'x-moz'] as const;
const FIRST_PURPOSE = 2;

/** Browsers send these values when they load a page before a person requests it. */
const PREFETCH = /prefetch|prerender|preview/i;
const PURPOSE_CODES = SIGN_HEADERS.slice(FIRST_PURPOSE).map((name) =>
  codeOfVerdict({ class: 'prefetch', reason: `header:${name}`, certainty: 'certain' }),
);
const NO_LANGUAGE = codeOfVerdict({ class: 'human', reason: 'header:no-accept-language', certainty: 'probable' });

const accepts = {
  open: ({ only }: NetworkSign) => only !== 'click',
  click: ({ only }: NetworkSign) => only !== 'open',
} satisfies Record<HitKind, (sign: NetworkSign) => boolean>;

/**
 * Classifies an open or a click from the request alone. Certain signs take precedence over weak ones. A hit with only
 * weak signs counts as a person's, until the rules of time and order decide otherwise.
 */
export class RequestClassifier {
  constructor(private readonly networks: ScannerNetworks) {}

  /** @returns the sign that the client's network gives for this kind of hit */
  networkOf(kind: HitKind, address: string | undefined): NetworkSign | undefined {
    return address === undefined ? undefined : this.networks.find(address, accepts[kind]);
  }

  /**
   * @param headers values of `SIGN_HEADERS`, in their order
   * @param address address of the client, if it is known
   */
  classify(kind: HitKind, headers: readonly (string | undefined)[], address: string | undefined): VerdictCode {
    const network = this.networkOf(kind, address);
    if (network?.certainty === 'certain') return network.code;
    // Without an iterator, because this runs for every hit.
    for (let index = 0; index < PURPOSE_CODES.length; index++) {
      const value = headers[FIRST_PURPOSE + index];
      if (value !== undefined && PREFETCH.test(value)) return PURPOSE_CODES[index]!;
    }
    const [userAgent, language] = headers;
    const agent = classifyAgent(userAgent, kind);
    if (agent !== NO_SIGN && corroborated(agent) === undefined) return agent;
    // A browser sends the languages of its reader with every click. Image requests of mail programs often do not.
    const isMute = kind === 'click' && language === undefined;
    if (network !== undefined && !(network.isRelay && namesBrowser(userAgent!))) {
      return isMute ? corroborated(network.code)! : network.code;
    }
    return agent === NO_SIGN && isMute ? NO_LANGUAGE : agent;
  }
}
