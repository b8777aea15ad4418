import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { client } from '../api';
import { mayHaveImages } from '../images-of-html';
import { organizationOfTab } from '../organization-of-tab';
import { ContentFailure } from './content-failure';
import { HtmlPreview } from './html-preview';
import { Loading } from './states';

interface PreviewProps {
  /** ID of an email. */
  readonly id: string;
  readonly title: string;
}

/**
 * An email as recipients see it. It runs nothing, counts nothing, and its links lead nowhere; images load only on
 * request.
 */
export function Preview({ id, title }: PreviewProps) {
  const [showsImages, showImages] = useState(false);
  const html = useQuery({
    queryKey: ['email-preview', id],
    queryFn: ({ signal }) => client.emails.preview(id, {}, { signal }),
    staleTime: Infinity,
  });
  if (html.isPending) return <Loading />;
  if (html.isLoadingError) return <ContentFailure error={html.error} retry={() => void html.refetch()} />;
  return (
    <div class="stack">
      {mayHaveImages(html.data) && (
        <p class="actions">
          <span class="muted">
            {showsImages
              ? 'Images come from their servers, which see that someone reads the email.'
              : 'Images are not loaded.'}
          </span>
          <button type="button" class="small" onClick={() => showImages(!showsImages)}>
            {showsImages ? 'Hide images' : 'Load images'}
          </button>
        </p>
      )}
      {showsImages ? (
        <iframe class="preview" sandbox="" src={addressWithImages(id)} title={`Preview with images: ${title}`} />
      ) : (
        <HtmlPreview html={html.data} title={title} />
      )}
    </div>
  );
}

/** A frame sends no header that says which organization this tab shows. */
function addressWithImages(id: string): string {
  const organization = organizationOfTab();
  const query = new URLSearchParams({ images: 'true', ...(organization !== undefined && { organization }) });
  return `/api/emails/${encodeURIComponent(id)}/preview?${query.toString()}`;
}
