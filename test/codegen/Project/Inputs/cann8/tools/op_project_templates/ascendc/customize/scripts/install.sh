# Installs a package.
