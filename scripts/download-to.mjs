import { mkdirSync, renameSync, rmSync } from 'node:fs';
import process from 'node:process';

/**
 * Fills a folder, which appears with all of its files: an interrupted download leaves none, and two at once do not mix
 * their files.
 * @param {string} folder
 * @param {(download: string) => void} fill puts the files into the folder that it gets
 */
export function downloadTo(folder, fill) {
  const download = `${folder}.${process.pid}`;
  mkdirSync(download, { recursive: true });
  try {
    fill(download);
    rmSync(folder, { recursive: true, force: true });
    renameSync(download, folder);
  } finally {
    rmSync(download, { recursive: true, force: true });
  }
}
