/**
 * SQL that reads why an operator has suspended an organization: no row if none has.
 * @param organizationId SQL of its ID
 */
export function suspensionReason(organizationId: string): string {
  return `select reason from sending_guards where organization_id = ${organizationId} and suspended`;
}
