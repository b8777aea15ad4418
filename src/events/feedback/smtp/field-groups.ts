/** Fields of one group by their lower-case name. */
export type FieldGroup = ReadonlyMap<string, string>;

/** An email has at most 50 recipients, and a report has one more group about the message. */
const MAX_GROUPS = 200;
/** RFC 5321, 4.5.3.1: 64 octets of local part, the @, and 255 octets of domain. */
const MAX_ADDRESS = 320;
/** An address with its type, a comment and white space. */
const LONGEST_VALUE = 1_000;
/** Excludes control characters and lone surrogates, which the database cannot store. */
const ADDRESS = /^[^\s\p{Cc}\p{Cs}<>@]+@[^\s\p{Cc}\p{Cs}<>@]+$/u;
const FIELD = /^([\x21-\x39\x3b-\x7e]+)[ \t]*:(.*)$/;

/**
 * Reads the groups of a machine-readable report: lines like those of a message header, groups separated by empty lines
 * (RFC 3464, 2.1; RFC 5965, 3). Of repeated fields, the first one counts.
 */
export function readFieldGroups(text: string): readonly FieldGroup[] {
  const groups: Map<string, string>[] = [];
  const unfolded = text.replace(/\r\n?/g, '\n').replace(/\n[ \t]+(?=\S)/g, ' ');
  let group: Map<string, string> | undefined;
  for (const line of unfolded.split('\n')) {
    if (line.trim() === '') {
      group = undefined;
      continue;
    }
    const [, name = '', value = ''] = FIELD.exec(line) ?? [];
    if (name === '') continue;
    if (group === undefined) {
      if (groups.length === MAX_GROUPS) return groups;
      group = new Map();
      groups.push(group);
    }
    const key = name.toLowerCase();
    if (!group.has(key)) group.set(key, value.trim());
  }
  return groups;
}

/** The address of a field such as `Final-Recipient: rfc822; ada@example.com`. Undefined if it has none. */
export function addressIn(value: string | undefined): string | undefined {
  const text =
    value
      ?.slice(0, LONGEST_VALUE)
      .replace(/^\s*[\w-]+\s*;/, '')
      .trim() ?? '';
  const address = (/<([^<>]*)>/.exec(text)?.[1] ?? text.replace(/\([^()]*\)$/, '')).trim();
  return ADDRESS.test(address) && address.length <= MAX_ADDRESS ? address : undefined;
}
