import { strengthOf } from './suppression-view.js';

/**
 * SQL for the strongest reason why an email must not go to an address: one row or none. Unsubscribing stops only emails
 * that offer to unsubscribe.
 */
export function strongestSuppression(organizationId: string, addressKey: string, unsubscribe: string): string {
  return `select s.reason from suppressions s
     where s.organization_id = ${organizationId} and s.address_key = ${addressKey}
       and (s.reason <> 'unsubscribe' or ${unsubscribe})
     order by ${strengthOf('s.reason')} limit 1`;
}
