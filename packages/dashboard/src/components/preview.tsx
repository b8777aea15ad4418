import { useState } from 'preact/hooks';

interface PreviewProps {
  /** Serves the HTML without pixel and with links that lead nowhere. */
  readonly path: string;
  readonly title: string;
}

/** An email as recipients see it. Nothing in it runs, counts or leads anywhere; images load only on request. */
export function Preview({ path, title }: PreviewProps) {
  const [showsImages, showImages] = useState(false);
  return (
    <div class="stack">
      {!showsImages && (
        <p class="actions">
          <span class="muted">Remote images are not loaded.</span>
          <button type="button" class="small" onClick={() => showImages(true)}>
            Load images
          </button>
        </p>
      )}
      <iframe class="preview" sandbox="" src={showsImages ? `${path}?images=true` : path} title={`Preview: ${title}`} />
    </div>
  );
}
