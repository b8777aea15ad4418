import { useMutation } from '@tanstack/preact-query';
import { transport } from '../api';
import { useOnce } from '../once';
import { Failure } from './states';

interface DownloadProps {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly filename: string;
}

/** A button that saves an export. A link could not say which organization it is about, nor show why it failed. */
export function Download({ path, query, filename }: DownloadProps) {
  const once = useOnce();
  const download = useMutation({
    onSettled: once.end,
    mutationFn: async () => {
      const content = await transport.stream({ method: 'GET', path, ...(query && { query }) });
      save(await new Response(content).blob(), filename);
    },
  });
  return (
    <>
      <button type="button" aria-disabled={download.isPending} onClick={() => once.begin(() => download.mutate())}>
        {download.isPending ? 'Exporting …' : 'Export'}
      </button>
      {download.isError && <Failure error={download.error} />}
    </>
  );
}

function save(content: Blob, filename: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = filename;
  link.click();
  // The browser has opened the content by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
