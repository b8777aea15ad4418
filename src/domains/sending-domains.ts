import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';

/** The domains an organization may send from. */
@Injectable()
export class SendingDomains {
  constructor(private readonly database: Database) {}

  /** A subdomain of a verified domain counts as verified. */
  async isVerified(organizationId: string, domain: string): Promise<boolean> {
    const [verified] = await this.database.prepared(
      'find-verified-domain',
      `select id from sending_domains
        where organization_id = $1 and domain = any($2) and status = 'verified' limit 1`,
      [organizationId, withParents(domain)],
    );
    return verified !== undefined;
  }
}

/** `a.b.example.com` with `b.example.com` and `example.com`; a top-level domain alone is nobody's. */
export function withParents(domain: string): string[] {
  const labels = domain.split('.');
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'));
}
