/** @type {import('next').NextConfig} */
export default {
  // The drivers of databases are loaded from node_modules.
  serverExternalPackages: ['pg', 'libsql'],
};
