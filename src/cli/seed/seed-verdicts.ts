import { codeOfVerdict, ENGAGEMENT_CLASSES, isMachine, verdictOf, type Verdict } from '../../events/verdict.js';

const noSign: Verdict = { class: 'human', reason: 'none', certainty: 'probable' };
const gmail: Verdict = { class: 'proxy', reason: 'user-agent:google-image-proxy', certainty: 'certain' };
const appleMail: Verdict = { class: 'prefetch', reason: 'user-agent:apple-mpp', certainty: 'certain' };
const slack: Verdict = { class: 'preview', reason: 'user-agent:slack', certainty: 'certain' };
const gateway: Verdict = { class: 'scanner', reason: 'network:microsoft-eop', certainty: 'certain' };
const instant: Verdict = { class: 'scanner', reason: 'timing:instant', certainty: 'probable' };
const crawler: Verdict = { class: 'bot', reason: 'user-agent:crawler', certainty: 'certain' };

const codesOf = (...shares: [Verdict, number][]): number[] =>
  shares.flatMap(([verdict, share]) => Array<number>(share).fill(codeOfVerdict(verdict)));

/** Sixteen codes, each repeated as often as it occurs among sixteen opens or clicks. */
export const openVerdicts = codesOf([noSign, 6], [gmail, 4], [appleMail, 4], [slack, 1], [instant, 1]);
export const clickVerdicts = codesOf([noSign, 12], [gateway, 2], [instant, 1], [crawler, 1]);

const machines = [...new Set([...openVerdicts, ...clickVerdicts])].filter(isMachine);

/** The codes of machines, as an SQL array. */
export const MACHINE_CODES = `'{${machines.join(',')}}'::int[]`;

/** Rows of the codes of machines and their classes, as SQL. */
export const MACHINE_CLASS_ROWS = machines
  .map((code) => `(${code}, ${ENGAGEMENT_CLASSES.indexOf(verdictOf(code).class)})`)
  .join(', ');
