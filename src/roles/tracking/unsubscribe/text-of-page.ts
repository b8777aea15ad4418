/** The texts of the page. `{sender}` and `{recipient}` are placeholders for an address, or a name and an address. */
export interface PageTexts {
  readonly offer: { readonly heading: string; readonly text: string; readonly note: string };
  readonly unsubscribed: { readonly heading: string; readonly text: string; readonly mistake: string };
  readonly resubscribed: { readonly heading: string; readonly text: string };
  /** The request could not be stored. */
  readonly failed: { readonly heading: string; readonly text: string };
  /** The address has no valid token. */
  readonly invalid: { readonly heading: string; readonly text: string };
  /** A link of the email is blocked. */
  readonly blocked: { readonly heading: string; readonly text: string };
  readonly buttons: { readonly unsubscribe: string; readonly resubscribe: string };
}
