/** Who caused an open or a click. Stored as positions in this list, so new classes go to its end. */
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

/** The position of a verdict in `VERDICTS`. Events carry and store it. */
export type VerdictCode = number;

/** The verdict of an event without any sign of a machine, and of every event stored before verdicts existed. */
export const NO_SIGN: VerdictCode = 0;

/** All verdicts by their codes. Codes are stored, so new verdicts go to the end. */
const VERDICTS: readonly Verdict[] = [{ class: 'human', reason: 'none', certainty: 'probable' }];

/** @returns the verdict without a sign for a code that this build does not know */
export function verdictOf(code: VerdictCode): Verdict {
  return VERDICTS[code] ?? VERDICTS[NO_SIGN]!;
}

export function isMachine(code: VerdictCode): boolean {
  return MACHINE_CLASSES.some((machine) => machine === verdictOf(code).class);
}
