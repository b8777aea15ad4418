/**
 * The organization that this tab shows. The session has one, too, in which new tabs begin, but every tab can change it:
 * each request says which one the page is about. A reload keeps it.
 */
const KEY = 'organization';

/** Does not change while the page is loaded: its data, and the work in its forms, belong to this organization. */
let organization = sessionStorage.getItem(KEY) ?? undefined;

export function organizationOfTab(): string | undefined {
  return organization;
}

/** @param id the organization of the session, for a page that has none yet */
export function keepOrganization(id: string): void {
  organization ??= id;
  organizationOfNextLoad(organization);
}

/** The page goes on in its own organization until it is loaded again, which the user can still prevent. */
export function organizationOfNextLoad(id: string): void {
  sessionStorage.setItem(KEY, id);
}

/** For a page that is loaded again, perhaps for another user. */
export function forgetOrganization(): void {
  sessionStorage.removeItem(KEY);
}
