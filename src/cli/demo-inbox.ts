/** Reads mail in the embedded inbox, like the mail program of a reader. */
export class DemoInbox {
  constructor(private readonly address: string) {}

  /**
   * The address in the List-Unsubscribe header of a mail.
   * @param id the ID that the inbox returned when it accepted the mail: the provider's ID of the email
   */
  async unsubscribeAddress(id: string): Promise<string> {
    const response = await fetch(`${this.address}/api/email/${encodeURIComponent(id)}/source`);
    const [header = ''] = (await response.text()).split(/\r?\n\r?\n/, 1);
    const address = /^list-unsubscribe:\s*<([^>]+)>/im.exec(header)?.[1];
    if (address === undefined) throw new Error(`The mail ${id} in the inbox cannot be unsubscribed from`);
    return address;
  }
}
