import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import { Database, type Sql } from '../../platform/database/database.js';
import { DnsLookups } from '../../platform/dns/dns-lookups.js';
import { NOT_CHECKED, type DomainRecord } from '../domain-record.js';
import { checkOwnership, ownershipName, ownershipRecord, ownershipValue, type Ownership } from '../ownership.js';
import { withParents } from '../parent-domains.js';
import { trackingTarget } from './tracking-target.js';
import { TrackingTargetMissingError } from './tracking-domain-errors.js';
import { aliasOf, checkAlias, trackingRecord } from './tracking-records.js';

interface Described {
  readonly organization_id: string;
  readonly domain: string;
  readonly ownership_token: string;
}

export interface TrackingDnsResult {
  readonly records: readonly DomainRecord[];
  /** Of all records together. */
  readonly result: Ownership;
}

/**
 * Lists the records that a tracking domain needs, and checks which of them are published: the alias, and the proof of
 * ownership. The alias alone does not show which organization may use the domain.
 */
@Injectable()
export class TrackingDnsCheck {
  constructor(
    private readonly database: Database,
    private readonly dns: DnsLookups,
    @Inject(SETTINGS) private readonly settings: RunSettings,
  ) {}

  /** The name of the tracking hosts. @throws TrackingTargetMissingError */
  get target(): string {
    const target = trackingTarget(this.settings);
    if (target === undefined) throw new TrackingTargetMissingError();
    return target;
  }

  /** Returns the records to publish, before the first check. @throws TrackingTargetMissingError */
  async describe(sql: Sql, row: Described): Promise<DomainRecord[]> {
    const alias = trackingRecord(row.domain, this.target, NOT_CHECKED);
    return (await hasProvenOwnership(sql, row)) ? [alias] : [alias, ownershipRecord(row, NOT_CHECKED)];
  }

  /** Takes less than 5 seconds. @throws TrackingTargetMissingError */
  async run(row: Described): Promise<TrackingDnsResult> {
    const { target } = this;
    const isProven = await hasProvenOwnership(this.database, row);
    const name = ownershipName(row.domain);
    const [cname, ...proof] = await this.dns.query((dns) =>
      Promise.all([aliasOf(dns, row.domain, target), ...(isProven ? [] : [dns.txt(name), dns.cname(name)])]),
    );
    const { alias, check } = checkAlias(target, cname!);
    const tracking = trackingRecord(row.domain, target, check);
    if (isProven) return { records: [tracking], result: alias };
    const { ownership, check: found } = checkOwnership(ownershipValue(row.ownership_token), proof[0]!, proof[1]!);
    return { records: [tracking, ownershipRecord(row, found)], result: worse(alias, ownership) };
  }
}

/** A verified sending domain proves the ownership of its subdomains. */
async function hasProvenOwnership(sql: Sql, { organization_id, domain }: Described): Promise<boolean> {
  const [row] = await sql.query<{ proven: boolean }>(
    `select exists (select from sending_domains
       where organization_id = $1 and domain = any($2) and status = 'verified') as proven`,
    [organization_id, withParents(domain)],
  );
  return row!.proven;
}

const SEVERITY: readonly Ownership[] = ['seen', 'unanswered', 'missing'];

function worse(one: Ownership, other: Ownership): Ownership {
  return SEVERITY.indexOf(one) > SEVERITY.indexOf(other) ? one : other;
}
