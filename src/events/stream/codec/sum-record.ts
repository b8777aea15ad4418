import type { EventSum, MachineHits } from '../../engagement-event.js';
import { ENGAGEMENT_CLASSES, MACHINE_CLASSES } from '../../verdict.js';

/**
 * The fields of a sum's record after the head that all records share:
 *
 *     opens u32, then link position u16 and clicks u32 of each link up to the record's end
 *
 * With machines, the number of links u16 stands before the links, and after them for each class and link:
 *
 *     class u8 (its place in the list of classes), kind u8 (0 opens, 1 clicks), link position u16, hits u32
 */
const POSITION_BYTES = 2;
const COUNT_BYTES = 4;
const LINK_BYTES = POSITION_BYTES + COUNT_BYTES;
const MACHINE_BYTES = 1 + 1 + POSITION_BYTES + COUNT_BYTES;
const [OPENS, CLICKS] = [0, 1];
const MAX_POSITION = 0xffff;
const MAX_COUNT = 0xffff_ffff;

type SumOwner = Pick<EventSum, 'id' | 'emailTrackingId'>;

export function hasMachines({ machines }: EventSum): boolean {
  return machines !== undefined && machines.length > 0;
}

/**
 * The length of what follows the head.
 * @throws RangeError when a field does not fit the format
 */
export function sumLength(sum: EventSum): number {
  const { opens, clicks, machines = [] } = sum;
  const fits =
    clicks.every(({ linkPosition, clicks: count }) => linkPosition <= MAX_POSITION && isCount(count)) &&
    machines.every(({ linkPosition = 0, hits }) => linkPosition <= MAX_POSITION && isCount(hits));
  if (!fits || !isCount(opens)) throw new RangeError('A count or a link position is out of range');
  const links = COUNT_BYTES + clicks.length * LINK_BYTES;
  return hasMachines(sum) ? links + POSITION_BYTES + machines.length * MACHINE_BYTES : links;
}

/** Returns the end of the record. */
export function writeSum(target: Buffer, start: number, sum: EventSum): number {
  let at = target.writeUInt32BE(sum.opens, start);
  if (hasMachines(sum)) at = target.writeUInt16BE(sum.clicks.length, at);
  for (const { linkPosition, clicks } of sum.clicks) {
    at = target.writeUInt16BE(linkPosition, at);
    at = target.writeUInt32BE(clicks, at);
  }
  for (const { class: machine, linkPosition, hits } of sum.machines ?? []) {
    target[at++] = ENGAGEMENT_CLASSES.indexOf(machine);
    target[at++] = linkPosition === undefined ? OPENS : CLICKS;
    at = target.writeUInt16BE(linkPosition ?? 0, at);
    at = target.writeUInt32BE(hits, at);
  }
  return at;
}

/** @returns undefined when the bytes are malformed */
export function readSum(source: Buffer, start: number, end: number, of: SumOwner): EventSum | undefined {
  const linksStart = start + COUNT_BYTES;
  if (linksStart > end || (end - linksStart) % LINK_BYTES !== 0) return undefined;
  return { type: 'summed', ...of, opens: source.readUInt32BE(start), clicks: readLinks(source, linksStart, end) };
}

/** @returns undefined when the bytes are malformed, and 'unknown' when a class is of a newer build */
export function readSumWithMachines(
  source: Buffer,
  start: number,
  end: number,
  of: SumOwner,
): EventSum | 'unknown' | undefined {
  const linksStart = start + COUNT_BYTES + POSITION_BYTES;
  if (linksStart > end) return undefined;
  const linksEnd = linksStart + source.readUInt16BE(start + COUNT_BYTES) * LINK_BYTES;
  if (linksEnd >= end || (end - linksEnd) % MACHINE_BYTES !== 0) return undefined;
  const machines: MachineHits[] = [];
  for (let at = linksEnd; at < end; at += MACHINE_BYTES) {
    const machine = MACHINE_CLASSES.find((name) => name === ENGAGEMENT_CLASSES[source[at]!]);
    const isClick = source[at + 1] === CLICKS;
    if (machine === undefined || (!isClick && source[at + 1] !== OPENS)) return 'unknown';
    const hits = source.readUInt32BE(at + MACHINE_BYTES - COUNT_BYTES);
    machines.push({ class: machine, ...(isClick && { linkPosition: source.readUInt16BE(at + 2) }), hits });
  }
  const clicks = readLinks(source, linksStart, linksEnd);
  return { type: 'summed', ...of, opens: source.readUInt32BE(start), clicks, machines };
}

function readLinks(source: Buffer, start: number, end: number): EventSum['clicks'] {
  const clicks = [];
  for (let at = start; at < end; at += LINK_BYTES) {
    clicks.push({ linkPosition: source.readUInt16BE(at), clicks: source.readUInt32BE(at + POSITION_BYTES) });
  }
  return clicks;
}

function isCount(count: number): boolean {
  return count >= 0 && count <= MAX_COUNT;
}
