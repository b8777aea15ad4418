import { strengthOf } from './suppression-view.js';

/**
 * SQL for the reasons why an address is suppressed. Those of an erased person are found by the hash of the address,
 * which is only computed in an organization that has erased such people.
 */
export function suppressionReasons(organizationId: string, addressKey: string): string {
  return `select reason from suppressions where organization_id = ${organizationId} and address_key = ${addressKey}
       union all
       select erased.reason
         from (select from erased_suppressions where organization_id = ${organizationId} limit 1) as has_erased
        cross join lateral (
          select reason from erased_suppressions
           where organization_id = ${organizationId} and address_hash = person_hash(${organizationId}, ${addressKey})
        ) as erased`;
}

/**
 * SQL for the strongest reason why an email must not go to an address: one row or none. Unsubscribing stops only emails
 * that offer to unsubscribe.
 */
export function strongestSuppression(organizationId: string, addressKey: string, unsubscribe: string): string {
  return `select s.reason from (${suppressionReasons(organizationId, addressKey)}) s
     where s.reason <> 'unsubscribe' or ${unsubscribe}
     order by ${strengthOf('s.reason')} limit 1`;
}

/**
 * SQL that is true for an address to which no email goes that offers to unsubscribe. For thousands of addresses in one
 * statement: whether the organization has erased people is looked up once.
 */
export function isSuppressed(organizationId: string, addressKey: string): string {
  return `(exists (select from suppressions where organization_id = ${organizationId} and address_key = ${addressKey})
     or (select exists (select from erased_suppressions where organization_id = ${organizationId}))
        and exists (select from erased_suppressions where organization_id = ${organizationId}
                       and address_hash = person_hash(${organizationId}, ${addressKey})))`;
}
