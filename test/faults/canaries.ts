/** Texts that every scenario sends through the service and that must never appear in the output of a process. */
export const CANARIES = {
  reader: 'canary-reader',
  sender: 'canary-sender',
  subject: 'canary-subject',
  body: 'canary-body',
  metadata: 'canary-metadata',
  providerKey: 'SG.canary-provider-key',
} as const;
