/** What caused an open or a click. Stored as positions in this list, so new classes are appended at its end. */
export const ENGAGEMENT_CLASSES = ['human', 'proxy', 'prefetch', 'preview', 'scanner', 'bot'] as const;
export type EngagementClass = (typeof ENGAGEMENT_CLASSES)[number];

/** A `human` hit shows no sign of a machine, and a `proxy` fetches for a person at the moment of reading. */
export type PeopleClass = 'human' | 'proxy';
export type MachineClass = Exclude<EngagementClass, PeopleClass>;
export const MACHINE_CLASSES = ['prefetch', 'preview', 'scanner', 'bot'] as const satisfies readonly MachineClass[];

/** The class of an open or a click, and why. It names neither an address nor a user agent. */
export interface Verdict {
  readonly class: EngagementClass;
  /** A stable word such as `user-agent:google-image-proxy`, or `none`. */
  readonly reason: string;
  /** A rule of time or order never changes a `certain` verdict. */
  readonly certainty: 'certain' | 'probable';
}

/** The position of a verdict in the table of verdicts. Events carry and store it. */
export type VerdictCode = number;

/** The verdict of an event without any sign of a machine, and of every event stored before verdicts existed. */
export const NO_SIGN: VerdictCode = 0;

/**
 * Security gateways with their own networks, and `other` for names from an operator's own file. An address in a
 * `certain` network is a scanner. A `probable` network may also be used by people, so the time of the hit decides.
 */
const NETWORKS = [
  ...['microsoft-eop', 'microsoft', 'google', 'barracuda', 'proofpoint', 'mimecast', 'cisco', 'symantec'],
  ...['hornetsecurity', 'trend-micro', 'zscaler', 'other'],
].map((name) => `network:${name}`);

/** Reasons by class and certainty. Stored codes are positions in this list, so it grows only at its end. */
const GROUPS: readonly (readonly [EngagementClass, Verdict['certainty'], readonly string[]])[] = [
  ['human', 'probable', ['none']],
  // The rules of time and order.
  ['scanner', 'probable', ['timing:instant', 'timing:burst', 'order:all-links', 'timing:around-scanner']],
  // Webmail that fetches images when the email is read.
  [
    'proxy',
    'certain',
    [
      ...['google-image-proxy', 'yahoo-mail-proxy', 'seznam-email-proxy', 'ukrnet-mail-proxy', 'rambler-mail-proxy'],
      ...['mail-ru-image-proxy', 'yandex-image-proxy', 'fastmail-image-proxy', 'hey-image-proxy', 'zoho-image-proxy'],
      ...['duckduckgo-image-proxy', 'proton-image-proxy', 'shortwave-image-proxy', 'superhuman-image-proxy'],
      ...['other-image-proxy'],
    ].map(userAgent),
  ],
  ['prefetch', 'certain', ['apple-mpp', 'gmail-prefetch'].map(userAgent)],
  ['prefetch', 'certain', ['header:sec-purpose', 'header:purpose', 'header:x-purpose', 'header:x-moz']],
  [
    'preview',
    'certain',
    [
      ...['slack', 'skype', 'microsoft-preview', 'bing-preview', 'whatsapp', 'telegram', 'discord', 'linkedin'],
      ...['twitter', 'facebook', 'google-preview', 'pinterest', 'reddit', 'viber', 'line', 'zoom', 'vk', 'snapchat'],
      ...['mattermost', 'embedly', 'other-preview'],
    ].map(userAgent),
  ],
  [
    'scanner',
    'certain',
    [
      ...['barracuda', 'mimecast', 'proofpoint', 'trend-micro', 'cisco', 'cloudmark', 'zscaler', 'sophos'],
      ...['forcepoint', 'symantec', 'fortinet', 'hornetsecurity', 'other-scanner'],
    ].map(userAgent),
  ],
  ['scanner', 'probable', ['user-agent:missing']],
  ['bot', 'certain', ['http-library', 'headless-browser', 'crawler'].map(userAgent)],
  ['bot', 'probable', ['user-agent:crawler']],
  ['scanner', 'certain', NETWORKS],
  // Weak signs. Each is listed twice: as a person, and as the machine that it becomes if the time of the hit confirms
  // it.
  ['human', 'probable', ['user-agent:bare-webkit', 'network:apple-egress', 'header:no-accept-language', ...NETWORKS]],
  ['prefetch', 'probable', ['user-agent:bare-webkit', 'network:apple-egress']],
  ['scanner', 'probable', ['header:no-accept-language', ...NETWORKS]],
];

/** All verdicts by their codes. */
export const VERDICTS: readonly Verdict[] = GROUPS.flatMap(([group, certainty, reasons]) =>
  reasons.map((reason) => ({ class: group, reason, certainty })),
);

/** @returns the verdict without a sign for a code that this build does not know */
export function verdictOf(code: VerdictCode): Verdict {
  return VERDICTS[code] ?? VERDICTS[NO_SIGN]!;
}

/** @throws Error when the table does not have this verdict */
export function codeOfVerdict(verdict: Verdict): VerdictCode {
  const code = VERDICTS.findIndex((entry) => isSame(entry, verdict));
  if (code === -1) throw new Error(`There is no verdict ${verdict.class} (${verdict.reason}, ${verdict.certainty})`);
  return code;
}

/** @returns undefined for the verdict of a person */
export function machineClassOf(code: VerdictCode): MachineClass | undefined {
  const { class: name } = verdictOf(code);
  return name === 'human' || name === 'proxy' ? undefined : name;
}

export function isMachine(code: VerdictCode): boolean {
  return machineClassOf(code) !== undefined;
}

/** The codes of machines. */
export const MACHINE_VERDICTS: readonly VerdictCode[] = VERDICTS.map((_, code) => code).filter(isMachine);

/**
 * A hit with only a weak sign counts as a person's. Together with a suspicious time it counts as a machine's.
 * @returns the machine's verdict for the same reason; undefined when this verdict has no weak sign
 */
export function corroborated(code: VerdictCode): VerdictCode | undefined {
  return CORROBORATED.get(code);
}

const CORROBORATED: ReadonlyMap<VerdictCode, VerdictCode> = new Map(
  VERDICTS.flatMap(({ class: weak, reason }, code) => {
    if (weak !== 'human') return [];
    const machine = VERDICTS.findIndex((other) => other.reason === reason && isProbableMachine(other));
    return machine === -1 ? [] : [[code, machine] as const];
  }),
);

function isProbableMachine({ class: of, certainty }: Verdict): boolean {
  return of !== 'human' && of !== 'proxy' && certainty === 'probable';
}

function isSame(one: Verdict, other: Verdict): boolean {
  return one.class === other.class && one.reason === other.reason && one.certainty === other.certainty;
}

function userAgent(name: string): string {
  return `user-agent:${name}`;
}
