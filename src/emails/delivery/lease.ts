/** The claim on an email while it is `sending`: only the holder may record its outcome. */
export interface Lease {
  readonly emailId: string;
  readonly token: string;
  /** Emails of broadcasts share statements only with each other: other mail would wait for the large ones. */
  readonly isOfBroadcast?: boolean;
}
