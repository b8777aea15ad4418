import type { MachineClass } from '../verdict.js';
import type { KnownEmail } from './lock-emails.js';

/** Clicks of a link, and how many of them machines caused. */
export interface LinkClicks {
  clicks: number;
  machineClicks: number;
}

export interface EmailDeltas extends LinkClicks {
  readonly email: KnownEmail;
  opens: number;
  machineOpens: number;
  /** The ID of the latest event, a UUIDv7 that contains its time. */
  latestId: string;
  /** The same of single clicks; empty without any. */
  latestClickId: string;
  /** Clicks by link position. */
  readonly positions: Map<number, LinkClicks>;
  /** Opens and clicks by machines. */
  readonly machines: Map<MachineClass, number>;
}
