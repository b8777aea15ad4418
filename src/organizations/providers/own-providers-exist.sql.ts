/** SQL condition: true if the organization has its own providers. @param organization SQL of its ID */
export function ownProvidersExist(organization: string): string {
  return `exists (select from organization_providers own where own.organization_id = ${organization})`;
}
