/** Who holds an email while it is `sending`: only the holder may say what became of it. */
export interface Lease {
  readonly emailId: string;
  readonly token: string;
}
