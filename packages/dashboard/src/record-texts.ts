import type { Domain } from '../../client/src/index.js';

export type DomainRecord = Domain['records'][number];

const TTL_SECONDS = 3_600;

/** The texts of a record, to copy. */
export const FORMATS = { BIND: bind, 'Terraform (Cloudflare)': cloudflare, 'Terraform (Route 53)': route53 } as const;
export type Format = keyof typeof FORMATS;

/** A string of a TXT record has at most 255 bytes (RFC 1035, 3.3). */
function stringsOf(value: string): string[] {
  return value.match(/.{1,255}/gs) ?? [''];
}

function bind({ type, name, value }: DomainRecord): string {
  const data =
    type === 'TXT'
      ? stringsOf(value)
          .map((text) => JSON.stringify(text))
          .join(' ')
      : value.replace(/\.?$/, '.');
  return `${name.replace(/\.?$/, '.')} ${TTL_SECONDS} IN ${type} ${data}`;
}

/** A name for the resource, unique because the names of records are. */
function labelOf({ type, name }: DomainRecord): string {
  return `${type}_${name}`.toLowerCase().replace(/[^a-z0-9]+/g, '_');
}

/** A string of Terraform, in which `${` and `%{` would begin a template, such as the macros of SPF. */
function quoted(value: string): string {
  return JSON.stringify(value.replace(/[$%](?=\{)/g, '$&$&'));
}

function cloudflare(record: DomainRecord): string {
  return [
    `resource "cloudflare_dns_record" "${labelOf(record)}" {`,
    '  zone_id = var.zone_id',
    `  type    = "${record.type}"`,
    `  name    = "${record.name}"`,
    `  content = ${quoted(record.value)}`,
    `  ttl     = ${TTL_SECONDS}`,
    '}',
  ].join('\n');
}

/** Route 53 separates the strings of a TXT record by `\"\"`. */
function route53(record: DomainRecord): string {
  const value = record.type === 'TXT' ? stringsOf(record.value).join('""') : record.value;
  return [
    `resource "aws_route53_record" "${labelOf(record)}" {`,
    '  zone_id = var.zone_id',
    `  type    = "${record.type}"`,
    `  name    = "${record.name}"`,
    `  records = [${quoted(value)}]`,
    `  ttl     = ${TTL_SECONDS}`,
    '}',
  ].join('\n');
}
