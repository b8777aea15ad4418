/** An attachment of an email, without its content. */
export interface AttachmentView {
  readonly filename: string;
  readonly contentType: string;
  /** For an inline image: the HTML refers to it as `cid:<contentId>`. Null for any other attachment. */
  readonly contentId: string | null;
  /** In bytes. */
  readonly size: number;
}

/** An attachment whose content is stored. */
export interface StoredAttachment extends AttachmentView {
  /** The key of its content, in hexadecimal digits. */
  readonly sha256: string;
}

/** An attachment in a request. */
export interface NewAttachment extends StoredAttachment {
  readonly bytes: Buffer;
}

export function withoutDigest({ filename, contentType, contentId, size }: StoredAttachment): AttachmentView {
  return { filename, contentType, contentId, size };
}

export function withoutBytes(attachment: NewAttachment): StoredAttachment {
  return { ...withoutDigest(attachment), sha256: attachment.sha256 };
}

/** Columns of `email_attachments` from the position on, for an item of `ATTACHMENT_LIST`. */
export const ATTACHMENT_COLUMNS = `a.place - 1, :organizationId, decode(a.attachment ->> 'sha256', 'hex'),
         (a.attachment ->> 'size')::integer, a.attachment ->> 'filename', a.attachment ->> 'contentType',
         a.attachment ->> 'contentId'`;
/** The parameter `attachments`, a JSON list of `StoredAttachment`, as rows. */
export const ATTACHMENT_LIST = 'json_array_elements(:attachments) with ordinality as a (attachment, place)';

/** The attachments of `emails e` as a JSON list of `StoredAttachment`, in their order; null when there are none. */
export const ATTACHMENTS_OF_EMAIL = `(
  select json_agg(json_build_object('filename', a.filename, 'contentType', a.content_type, 'contentId', a.content_id,
                                    'size', a.size, 'sha256', encode(a.sha256, 'hex')) order by a.position)
    from email_attachments a where a.email_id = e.id)`;
