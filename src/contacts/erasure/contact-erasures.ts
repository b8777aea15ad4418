import { Injectable } from '@nestjs/common';
import { requestedAddressKey } from '../../emails/mailbox.js';
import { AuditLog, type Author } from '../../organizations/audit/record-audit.js';
import { Database } from '../../platform/database/database.js';
import { WorkNotifier } from '../../platform/queue/work-notifications.js';
import { ContactNotFoundError } from '../contacts.js';
import { beginErasure } from './begin-erasure.js';
import { ErasureSteps } from './erasure-steps.js';
import { personHash } from './person-hash.js';
import { personOf } from './person.js';

/** How long the request itself runs steps. The rest continues in the background. */
const REQUEST_MS = 2_000;

/** An erasure that continues in the background. */
export interface ErasureProgress {
  /** Emails from which the person is still to be erased. */
  readonly emails: number;
}

const PROGRESS = `
select count(l.email_id)::integer as emails
  from contact_erasures e left join contact_erasure_emails l on l.erasure_id = e.id
 where e.organization_id = $1 and e.address_key = $2 group by e.organization_id`;

/** Erases people. */
@Injectable()
export class ContactErasures {
  constructor(
    private readonly database: Database,
    private readonly steps: ErasureSteps,
    private readonly workers: WorkNotifier,
  ) {}

  /**
   * Erases a person. From the commit of the first transaction on, a send to the address creates a new contact.
   * @returns undefined once the erasure has ended; otherwise it continues in the background
   * @throws ContactNotFoundError when the organization knows nothing about the address
   */
  async erase(organizationId: string, author: Author, address: string): Promise<ErasureProgress | undefined> {
    const key = requestedAddressKey(address);
    const id = await this.begin(organizationId, author, key);
    const startedAt = performance.now();
    while (id !== undefined && performance.now() - startedAt < REQUEST_MS) {
      if (!(await this.database.inTurn(organizationId, () => this.steps.goOn(id)))) break;
    }
    const [progress] = await this.database.query<{ emails: number }>(PROGRESS, [organizationId, key]);
    if (id === undefined && !progress) throw new ContactNotFoundError();
    if (progress) this.workers.notify('erasures');
    return progress;
  }

  private begin(organizationId: string, author: Author, key: string): Promise<string | undefined> {
    return this.database.transactionOf(organizationId, async (sql) => {
      const id = await beginErasure(sql, personOf(organizationId, key));
      if (id === undefined) return undefined;
      const target = { kind: 'contact', id: await personHash(sql, organizationId, key) } as const;
      await AuditLog.record(sql, { ...author, action: 'contact.erased', target });
      return id;
    });
  }
}
