import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MOUNT = 'mount';
const UNMOUNT = 'umount';

/** A disk that is small enough to fill. */
export interface SmallDisk {
  readonly folder: string;
  /** Writes until no byte is free. */
  fill(): void;
  free(): void;
  /** Makes it read-only. */
  makeReadOnly(): void;
  remove(): void;
}

/** Mounts a small disk; undefined where this process may not mount. */
export function mountSmallDisk(): SmallDisk | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-disk-'));
  try {
    execFileSync(MOUNT, ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    rmSync(folder, { recursive: true, force: true });
    return undefined;
  }
  const filling = join(folder, 'filling');
  return {
    folder,
    fill() {
      for (const size of [65_536, 4096, 1]) {
        try {
          for (;;) appendFileSync(filling, Buffer.alloc(size));
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
        }
      }
    },
    free: () => rmSync(filling, { force: true }),
    makeReadOnly: () => void execFileSync(MOUNT, ['-o', 'remount,ro', folder]),
    remove() {
      // The driver releases a file when its statements are garbage-collected, which is later.
      execFileSync(UNMOUNT, ['-l', folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
