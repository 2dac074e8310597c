import { getHost } from '../../../host.mjs';

export const dynamic = 'force-dynamic';

/** The routes of the host, below /api. */
const handle = (request) => getHost().fetch(request);

export { handle as DELETE, handle as GET, handle as PATCH, handle as POST };
