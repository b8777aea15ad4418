/** What a provider did with one recipient. */
export const HAND_OVER_RESULTS = ['accepted', 'deferred', 'refused'] as const;

export type HandOverResult = (typeof HAND_OVER_RESULTS)[number];

/** Result for one envelope recipient, if the provider reports recipients separately (SMTP does, SendGrid does not). */
export interface RecipientResult {
  readonly address: string;
  readonly state: HandOverResult;
  readonly reason?: string;
  /** Enhanced status code of the reply, such as 5.1.1 (RFC 3463). */
  readonly smtpStatus?: string;
  /** Set for a recipient who may have the message, of an email that others certainly have. */
  readonly isUnknown?: true;
}
