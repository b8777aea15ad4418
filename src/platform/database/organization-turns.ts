/** How many organizations a worker remembers: more rarely have steps due at the same time. */
const MAX_REMEMBERED = 100;

/**
 * The organizations for which a worker took its latest steps of long work, such as broadcasts. They take turns: an
 * organization with hundreds of broadcasts would otherwise take nearly every step, and all others would wait for them.
 */
export class OrganizationTurns {
  private readonly served = new Set<string>();

  /** From the longest ago to the latest. */
  get latest(): readonly string[] {
    return [...this.served];
  }

  took(organizationId: string): void {
    this.served.delete(organizationId);
    this.served.add(organizationId);
    const [oldest] = this.served;
    if (this.served.size > MAX_REMEMBERED) this.served.delete(oldest!);
  }
}
