/**
 * Whether an email to several recipients, with content `c`, names an address: also one that was left out of it because
 * it is suppressed, and so has no contact there. An index has these expressions.
 * @param key SQL
 */
export const namesAddress = (key: string): string =>
  `(cardinality(c.to_addresses) > 1 or c.cc_addresses <> '{}' or c.bcc_addresses <> '{}')
     and mailbox_keys(c.to_addresses || c.cc_addresses || c.bcc_addresses) @> array[${key}::text]`;
